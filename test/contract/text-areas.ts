/** Areas of the corpus with text and data. */
export const TEXT_AREAS = [
  "text",
  "data",
  "text-programs",
  "line-programs",
  "system-programs",
  "report-programs",
] as const;
