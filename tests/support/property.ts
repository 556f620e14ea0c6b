import fc from 'fast-check';

const factor = process.env['WEFT_PROPERTY_FACTOR'];
const seed = process.env['WEFT_PROPERTY_SEED'] ?? (factor === undefined ? '1' : undefined);

// `npm test` searches the same cases each time, so what fails for one fails for all; `npm run soak` searches others.
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

export { fc };

/** The number of cases for a property: `usual` in `npm test`, multiplied by `WEFT_PROPERTY_FACTOR` in `npm run soak`. */
export function propertyRuns(usual: number): number {
  return Math.ceil(usual * Number(factor ?? 1));
}
