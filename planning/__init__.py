"""Pure logic: functions from a checklist to demands, options, bills, quotes, locks and plans.

No Pulumi, no network, no clock: dates and prices are arguments. Library code raises; only `cli` exits.
"""
