"""A stack's AWS resources written as a Terraform plan, for tools that read such plans and know no other form."""
