import type { AgentBudgets, DailyLimits } from '#shared/agent-budget.ts';

/** A budget as a row of texts, as somebody edits it. */
export interface BudgetRow {
  readonly kind: 'answer' | 'app' | 'key';
  /** Code of the app or name of the key; `*` for all that have no row; empty for answers. */
  readonly name: string;
  readonly tokens: string;
  /** In US dollars. */
  readonly cost: string;
  /** Model calls. */
  readonly steps: string;
}

const text = (n: number | undefined): string => (n === undefined ? '' : String(n));
const rowOf = (kind: BudgetRow['kind'], name: string, { tokens, cost, steps }: DailyLimits): BudgetRow => ({
  kind,
  name,
  tokens: text(tokens),
  cost: text(cost),
  steps: text(steps),
});

/** The row of all answers comes first, also while it has no limits. */
export function rowsOf({ answer, apps, keys }: AgentBudgets): BudgetRow[] {
  return [
    rowOf('answer', '', answer),
    ...Object.entries(apps).map(([name, limits]) => rowOf('app', name, limits)),
    ...Object.entries(keys).map(([name, limits]) => rowOf('key', name, limits)),
  ];
}

/** Why the rows cannot be saved, in a sentence. */
export function rowsFault(rows: readonly BudgetRow[]): string | undefined {
  const seen = new Set<string>();
  for (const { kind, name, ...limits } of rows) {
    if (kind !== 'answer' && name.trim() === '') return 'Choose the app or the key of each row.';
    if (seen.has(`${kind} ${name.trim()}`)) return `There are two rows for ${name.trim()}.`;
    seen.add(`${kind} ${name.trim()}`);
    for (const [limit, value] of Object.entries(limits)) {
      if (value.trim() === '') continue;
      const n = Number(value);
      if (!(n > 0) || (limit !== 'cost' && !Number.isInteger(n)))
        return limit === 'cost'
          ? 'Write a cost such as 2.50.'
          : 'Write limits of tokens and steps as whole numbers above 0.';
    }
  }
  return undefined;
}

/** `before` keeps what has no field here. */
export function budgetsOf(rows: readonly BudgetRow[], { answer }: AgentBudgets): AgentBudgets {
  const { tokens: _t, cost: _c, steps: _s, ...others } = answer;
  const of = (kind: BudgetRow['kind']) => rows.filter((row) => row.kind === kind);
  const named = (kind: BudgetRow['kind']) =>
    Object.fromEntries(of(kind).map((row) => [row.name.trim(), limitsOf(row)]));
  const [first] = of('answer');
  return { answer: { ...others, ...(first && limitsOf(first)) }, apps: named('app'), keys: named('key') };
}

function limitsOf({ tokens, cost, steps }: BudgetRow): DailyLimits {
  const said = Object.entries({ tokens, cost, steps }).filter(([, value]) => value.trim() !== '');
  return Object.fromEntries(said.map(([name, value]) => [name, Number(value)]));
}
