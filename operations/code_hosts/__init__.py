"""Comments, commit statuses and issues on GitHub and GitLab. Nothing of a pull request is trusted here."""
