"""What each team gets: namespaces, profiles, rights, network policies, pod defaults."""
