"""The real engine behind `atoll preview | up | refresh | destroy | outputs`, driven through Pulumi's Automation API."""
