"""The Pulumi engine behind `atoll preview | up | refresh | destroy | outputs`, through Pulumi's Automation API."""
