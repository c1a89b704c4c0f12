# strucchange.R: the fixed-K segmentations of tests/golden/changepoint.json against strucchange::breakpoints, an
# independent program that minimises the residual sum of squares with segments of at least h values.
#
# Usage: Rscript strucchange.R CASES, where CASES is what test_strucchange wrote: one line a case,
#   cost min_size K cost-value break,break,… y,y,…
# strucchange numbers the last value of a segment from 1, which is our 0-based start of the next. It needs segments longer
# than the number of coefficients. Exit 0: all equal, 1: not, 77: strucchange is not installed.
if (!requireNamespace("strucchange", quietly = TRUE)) quit(status = 77)
suppressMessages(library(strucchange))
lines <- strsplit(readLines(commandArgs(trailingOnly = TRUE)[1]), " ", fixed = TRUE)
failed <- 0
for (case in lines) {
  h <- as.integer(case[2])
  k <- as.integer(case[3])
  ours <- as.integer(strsplit(case[5], ",")[[1]])
  y <- as.numeric(strsplit(case[6], ",")[[1]])
  x <- seq_along(y)
  formula <- if (case[1] == "linear") y ~ x else y ~ 1
  found <- breakpoints(formula, h = h, breaks = k)
  theirs <- breakpoints(found, breaks = k)$breakpoints
  rss <- function(b) {
    part <- findInterval(seq_along(y) - 1, b)
    sum(sapply(split(seq_along(y), part), function(i) {
      d <- data.frame(y = y[i], x = x[i])
      deviance(lm(if (case[1] == "linear") y ~ x else y ~ 1, data = d))
    }))
  }
  cost <- as.numeric(case[4])
  best <- rss(theirs)
  same <- length(theirs) == length(ours) && all(theirs == ours)
  # Equal breaks, or a tie: both at the same least residual sum of squares.
  if (abs(best - cost) > 1e-7 * max(1, cost) || (!same && abs(rss(ours) - best) > 1e-7 * max(1, best))) {
    failed <- failed + 1
    cat("differs:", case[1], "h", h, "K", k, "ours", ours, "cost", cost, "theirs", theirs, "cost", best, "\n")
  }
}
cat(length(lines), "segmentations compared,", failed, "differ\n")
quit(status = if (failed == 0 && length(lines) > 0) 0 else 1)
