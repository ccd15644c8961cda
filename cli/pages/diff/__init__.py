"""A comparison of two refs as a comment, JUnit XML and SARIF."""
