"""Policy rules over the resources that a stack registers, one file for each subject.

The engine's policy pack, `atoll plan`, `atoll diff` and `atoll watch` evaluate the same rules. Everything but `pack`
and `__main__` is pure: no Pulumi, no network, no clock.
"""
