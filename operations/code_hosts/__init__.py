"""A comparison of two refs as texts: a comment, SARIF, JUnit and tables. Nothing of a pull request is trusted here."""
