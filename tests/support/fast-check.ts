import {
  type IAsyncProperty,
  type IProperty,
  type Parameters,
  assert as run,
  sample as draw,
} from 'fast-check';
import type { Arbitrary } from 'fast-check';

/** fast-check, with the seed and the number of cases that were asked for. Taken from `property.ts` as `fc`. */
export * from 'fast-check';

/** The settings of one property. */
interface Settings<Ts> extends Pick<Parameters<Ts>, 'examples'> {
  /** How many cases CI tries: 100 unless given. `PROPERTY_FACTOR` multiplies it, for `npm test` by a half. */
  readonly numRuns?: number;
  /** The seed is the same for all properties. A case that must stay tested is an example. */
  readonly seed?: never;
}

const USUAL_RUNS = 100;

/** Tries a property, and throws with the smallest counter-example that it finds. */
export function assert<Ts>(property: IAsyncProperty<Ts>, settings?: Settings<Ts>): Promise<void>;
export function assert<Ts>(property: IProperty<Ts>, settings?: Settings<Ts>): void;
export function assert<Ts>(
  property: IAsyncProperty<Ts> | IProperty<Ts>,
  { numRuns = USUAL_RUNS, examples }: Settings<Ts> = {},
): Promise<void> | void {
  return run(property as IProperty<Ts>, {
    ...asked(numRuns),
    ...(examples === undefined ? {} : { examples }),
  });
}

/** As many values of `arbitrary` as CI takes, multiplied as the cases of properties are. */
export function sample<T>(arbitrary: Arbitrary<T>, usual: number): T[] {
  return draw(arbitrary, asked(usual));
}

/** The number of cases: `usual` in CI, multiplied by `PROPERTY_FACTOR` in `npm test` and `npm run soak`. */
export function propertyRuns(usual: number): number {
  return Math.ceil(usual * Number(process.env['PROPERTY_FACTOR'] ?? 1));
}

/** The same cases are searched each time, so what fails for one fails for all; with a factor and no seed, others are. */
function asked(usual: number): Pick<Parameters, 'numRuns' | 'seed'> {
  const { PROPERTY_FACTOR: factor, PROPERTY_SEED: seed } = process.env;
  if (seed !== undefined) return { numRuns: propertyRuns(usual), seed: Number(seed) };
  return { numRuns: propertyRuns(usual), ...(factor === undefined ? { seed: 1 } : {}) };
}
