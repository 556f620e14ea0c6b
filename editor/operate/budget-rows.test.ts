import { describe, expect, test } from 'vitest';
import { AgentBudgets } from '#shared/agent-budget.ts';
import { type BudgetRow, budgetsOf, rowsFault, rowsOf } from './budget-rows.ts';

const budgets = AgentBudgets.parse({
  answer: { tokens: 1000, timeMs: 60_000 },
  apps: { '*': { cost: 2.5 }, helper: { steps: 20 } },
  keys: { ci: { tokens: 5, cost: 1, steps: 2 } },
});
const row = (more: Partial<BudgetRow>): BudgetRow => ({
  kind: 'app',
  name: 'a',
  tokens: '',
  cost: '',
  steps: '',
  ...more,
});

describe('budgets as rows', () => {
  test('come back as they were, with what has no field', () => {
    expect(budgetsOf(rowsOf(budgets), budgets)).toEqual(budgets);
  });

  test('a limit that is emptied, and a row that is removed, are gone', () => {
    const [answer, ...others] = rowsOf(budgets);
    const rows = [{ ...(answer as BudgetRow), tokens: ' ' }, ...others.filter(({ name }) => name !== 'ci')];
    expect(budgetsOf(rows, budgets)).toEqual({ ...budgets, answer: { timeMs: 60_000 }, keys: {} });
  });

  test.each([
    [[row({ name: ' ' })], /Choose the app/],
    [[row({}), row({})], /two rows for a/],
    [[row({ tokens: '1.5' })], /whole numbers/],
    [[row({ steps: '-1' })], /whole numbers/],
    [[row({ cost: 'two' })], /such as 2.50/],
    [[row({ cost: '0' })], /such as 2.50/],
  ])('%# says what is wrong', (rows, words) => expect(rowsFault(rows)).toMatch(words));

  test('an app and a key may have the same name', () => {
    expect(rowsFault([row({}), row({ kind: 'key', cost: '0.5' })])).toBeUndefined();
  });
});
