/**
 * How many cases a property is tried on: `usual` of them in `npm test`, as many times more as `WEFT_PROPERTY_FACTOR` says in
 * `npm run soak`, from the same seed where the property has one.
 */
export function propertyRuns(usual: number): number {
  return Math.ceil(usual * Number(process.env['WEFT_PROPERTY_FACTOR'] ?? 1));
}
