"""A relocation rehearsed on this computer: real servers on loopback, real data, faults on purpose."""
