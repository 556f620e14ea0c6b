import type { Catalog, OperatorInfo, Purpose } from '#shared/catalog.ts';
import { purposeOf } from '#shared/purpose.ts';
import { byUse, COMMON } from './by-use.ts';
import { type SearchPlace, searchOperators } from './search.ts';

/** Purposes in the order of building a flow, with their headings. */
export const PURPOSES: Readonly<Record<Purpose, string>> = {
  trigger: 'Triggers',
  model: 'Models and agents',
  data: 'Data',
  store: 'Databases and files',
  outside: 'Services',
  logic: 'Logic',
  people: 'People',
  code: 'Code',
};

/** The wish for which the picker lists operators. */
export interface Wish {
  readonly query: string;
  readonly purpose: Purpose | undefined;
  /** Only these types can be placed; undefined for all. */
  readonly possible: ReadonlySet<string> | undefined;
  /** The last used types, newest first. */
  readonly recent: readonly string[];
  readonly place: SearchPlace;
}

/** A group of operators below one heading of the picker. */
export interface Offer {
  /** Empty for search results. */
  readonly title: string;
  readonly operators: readonly OperatorInfo[];
}

/**
 * Operators to choose from, in groups: what was found, those of one purpose, or all with the last used and the most common ones first.
 * Within a group, the best fit comes first. On an empty canvas the triggers come before everything else.
 */
export function offersOf(catalog: Catalog, wish: Wish): readonly Offer[] {
  const { query, purpose, possible, place } = wish;
  const all = searchOperators(catalog, query, place).filter(
    (info) => (possible?.has(info.type) ?? true) && (purpose === undefined || purposeOf(info) === purpose),
  );
  if (query.trim() !== '') return filled([{ title: '', operators: all }]);
  const own = all.filter(({ service }) => service === undefined);
  const services = byService(
    all.filter(({ service }) => service !== undefined),
    place,
  );
  if (purpose === undefined) return filled([...inGroups(own, wish, all), ...services]);
  return filled([{ title: PURPOSES[purpose], operators: inOrder(own, place) }, ...services]);
}

/** A group for each service. */
function byService(operators: readonly OperatorInfo[], place: SearchPlace): Offer[] {
  const groups = Map.groupBy(inOrder(operators, place), ({ service }) => service?.title ?? '');
  return [...groups].sort(([a], [b]) => a.localeCompare(b)).map(([title, of]) => ({ title, operators: of }));
}

function filled(offers: readonly Offer[]): readonly Offer[] {
  return offers.filter(({ operators }) => operators.length > 0);
}

/** `all`: with those of services, which may be the last used ones. */
function inGroups(
  own: readonly OperatorInfo[],
  { recent, place }: Wish,
  all: readonly OperatorInfo[],
): Offer[] {
  const [triggers, ...steps] = (Object.keys(PURPOSES) as Purpose[]).map((purpose) => ({
    title: PURPOSES[purpose],
    operators: inOrder(
      own.filter((info) => purposeOf(info) === purpose),
      place,
    ),
  }));
  const known = new Map(all.map((info) => [info.type, info]));
  const listed = (types: readonly string[]) => types.flatMap((type) => known.get(type) ?? []);
  const used = { title: 'Last used', operators: listed(recent) };
  const others = COMMON.filter((type) => place.isEmpty || !recent.includes(type));
  const common = { title: 'Common', operators: byFit(listed(others), place) };
  const starts = triggers ? [triggers] : [];
  return place.isEmpty ? [...starts, common, ...steps] : [used, common, ...steps, ...starts];
}

/** The best fit first, then the most common ones, then by name. */
function inOrder(operators: readonly OperatorInfo[], place: SearchPlace): OperatorInfo[] {
  return byFit(byUse(operators), place);
}

function byFit(operators: readonly OperatorInfo[], { fitting }: SearchPlace): OperatorInfo[] {
  const misfit = ({ type }: OperatorInfo): number => Number(fitting !== undefined && !fitting.has(type));
  return operators.toSorted((a, b) => misfit(a) - misfit(b));
}
