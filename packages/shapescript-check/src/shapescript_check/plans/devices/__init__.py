"""How a program runs on several devices: where each function runs, and which values are split.

One walk over a typed body gives its `summaries.Summary`, which is kept between checks. What functions say about each
other is worked out from the summaries alone.
"""
