import { formatFlow } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import type { Problem } from '#shared/problem.ts';
import type { AwelFlow } from './awel-flow.ts';
import { importFlow } from './import-flow.ts';
import { closeTriggers, type Sheet, sheetOf } from './sheet.ts';

/** A flow of DB-GPT, translated and checked. */
export interface Translated {
  readonly flow: Flow;
  readonly layout: Layout;
  /** The flow file, canonical. */
  readonly text: string;
  /** The problems of the import, then those of `check`. */
  readonly problems: readonly Problem[];
  readonly sheet: Sheet;
}

export interface TranslateOptions {
  readonly id: string;
  readonly catalog: Catalog;
  readonly check: (text: string, id: string) => { readonly problems: readonly Problem[] };
  /** Whether triggers that anyone may call stay open. */
  readonly open: boolean;
  /** The current flow, when one is overwritten. */
  readonly before?: { readonly flow: Flow | undefined; readonly layout: Layout | undefined } | undefined;
}

export function translate(awel: AwelFlow, options: TranslateOptions): Translated {
  const { id, catalog, check, open, before } = options;
  const imported = importFlow(awel, { id, catalog, before });
  const { flow, closed } = closeTriggers(imported.flow, { before: before?.flow, open });
  const text = formatFlow(flow);
  const problems = [...imported.problems, ...news(check(text, id).problems, imported.problems)];
  return { flow, layout: imported.layout, text, problems, sheet: sheetOf(flow, closed, catalog) };
}

/** Drops repeats: the import reports an operator without a counterpart once. */
function news(found: readonly Problem[], reported: readonly Problem[]): Problem[] {
  const placeholders = new Set(
    reported.filter(({ code }) => code === 'unknown-operator').map(({ node }) => node),
  );
  return found.filter(({ code, node }) => code !== 'unknown-operator' || !placeholders.has(node));
}
