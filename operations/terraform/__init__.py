"""A stack's AWS resources written as a Terraform plan, for tools that read only such plans."""
