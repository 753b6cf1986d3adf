"""Values from papers and other programs, retyped as facts, each with its source.

Tango's score interval, (gains, losses, n, level) -> bounds to three or four places:
- the soft contact lens study and the example with 32 pairs of Tango (1998), Stat Med 17, 891-908,
  given again by the examples of the R package ratesci (Laud), there for the score method;
- Agresti and Min (2005), Stat Med 24, 729-740: table (53, 16, 8, 9), ratesci's examples;
- Fagerland, Lydersen, Laake (2014), Stat Med 33, 2850-2875: Bentur's table (1, 1, 7, 12);
- PropCIs::scoreci.mp(25, 28, 618) at 90%, which estimates (c - b)/n, to four places.

Clopper-Pearson and Wilson at 95%: Newcombe (1998), Stat Med 17, 857-872, table I.

McNemar: ratings (794, 150; 86, 570), Agresti, Categorical Data Analysis, ch. 11.

Items: Miller (2024), arXiv:2411.00640, section 5 (969 items for .03).
"""

TANGO = [
    # gains, losses, n, one-sided error, lower, upper, places
    (0, 1, 44, 0.05, -0.096, 0.037, 3),
    (9, 3, 32, 0.025, -0.027, 0.390, 3),
    (16, 8, 86, 0.025, -0.020, 0.207, 3),
    (1, 7, 21, 0.025, -0.517, -0.026, 3),
    (28, 25, 618, 0.05, -0.0148, 0.0247, 4),
]

CLOPPER_PEARSON = [
    # successes, trials, lower, upper (95%)
    (15, 148, 0.0578, 0.1617),
    (0, 20, 0.0, 0.1684),
    (1, 29, 0.0009, 0.1776),
]

WILSON = [
    (81, 263, 0.2553, 0.3662),
    (15, 148, 0.0624, 0.1605),
    (0, 20, 0.0, 0.1611),
    (1, 29, 0.0061, 0.1718),
]

MCNEMAR = (150, 86, 17.3559, 3.10e-5)

ITEMS_FOR_THREE_POINTS = 969
