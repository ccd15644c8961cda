"""Rules over what a stack registers, one file for each subject.

The pack that the engine runs, `atoll plan`, `atoll diff` and `atoll watch` ask the same ones. Everything but `pack`
and `__main__` is pure: no Pulumi, no network, no clock.
"""
