"""How any platform part is installed, and what several share: charts, images, network policies, database, sign-on."""
