"""The Pulumi program run in process: no engine, no cloud account, no Pulumi CLI (design section 8)."""
