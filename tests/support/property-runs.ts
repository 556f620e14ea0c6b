/**
 * The number of cases for a property: `usual` in `npm test`, multiplied by `WEFT_PROPERTY_FACTOR` in `npm run soak`,
 * from the same seed if the property has one.
 */
export function propertyRuns(usual: number): number {
  return Math.ceil(usual * Number(process.env['WEFT_PROPERTY_FACTOR'] ?? 1));
}
