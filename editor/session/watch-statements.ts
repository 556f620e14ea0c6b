import type { Described, DescribedStatement } from '#shared/described.ts';
import type { UsedStatement } from '#engine/check';
import { describeStatement } from '../api/connections.ts';
import type { Session } from '../commands/command.ts';
import type { EditorState } from '../state/editor-store.ts';

const PAUSE_MS = 600;
/** A table may have changed since; the server asks the database no more often. */
const FRESH_MS = 60_000;
/** A database that was away is asked again by itself. */
const RETRY_MS = 10_000;

type Ask = typeof describeStatement;

/**
 * Asks the databases to describe the statements of the open flow, a moment after they were changed, and puts the answers
 * into the world that the flow is checked against. Returns a function that ends it.
 */
export function watchStatements(
  { editor }: Pick<Session, 'editor'>,
  {
    ask = describeStatement,
    now = () => Date.now(),
  }: { readonly ask?: Ask; readonly now?: () => number } = {},
): () => void {
  const asked = new Map<string, number>();
  let answers: readonly DescribedStatement[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  function take(key: string, answer: DescribedStatement): void {
    if (isOver) return;
    const { catalog, world, setCatalog } = editor.getState();
    answers = [...answers.filter((one) => keyOf(one) !== key), answer];
    setCatalog(catalog, { ...world, statements: answers });
  }

  async function askFor({ connection = '', sql, operator, asks }: UsedStatement): Promise<void> {
    const change = asks === 'change';
    const key = keyOf({ connection, sql, change });
    if (now() - (asked.get(key) ?? Number.NEGATIVE_INFINITY) < FRESH_MS) return;
    asked.set(key, now());
    const { flow } = editor.getState().doc;
    const described = await ask(connection, { flow: flow.id, operator, sql, change }).catch(failed);
    if (described.is === 'unknown') asked.delete(key);
    take(key, { connection, sql, change, described });
  }

  async function look(): Promise<void> {
    const found = await askedStatements(editor.getState());
    const keys = new Set(found.map(({ asks, ...used }) => keyOf({ ...used, change: asks === 'change' })));
    answers = answers.filter((answer) => keys.has(keyOf(answer)));
    for (const key of asked.keys()) if (!keys.has(key)) asked.delete(key);
    await Promise.all(found.map(askFor));
    if (answers.some(({ described }) => described.is === 'unknown')) lookIn(RETRY_MS);
  }

  function lookIn(ms: number): void {
    if (isOver) return;
    clearTimeout(timer);
    timer = setTimeout(() => void look().catch(() => {}), ms);
  }

  lookIn(PAUSE_MS);
  const stop = editor.subscribe((state, before) => {
    // A grant may have been changed.
    if (state.world.connections !== before.world.connections) asked.clear();
    const isSame =
      state.doc.flow.nodes === before.doc.flow.nodes &&
      state.catalog === before.catalog &&
      state.selectedNodes === before.selectedNodes &&
      state.world.connections === before.world.connections;
    if (!isSame) lookIn(PAUSE_MS);
  });
  return () => {
    isOver = true;
    stop();
    clearTimeout(timer);
  };
}

/** The statements of a flow that a database is asked about, on connections that are there. */
async function askedStatements({ doc, catalog, world }: EditorState): Promise<UsedStatement[]> {
  const { usedStatements } = await import('../model/check.ts');
  const known = Object.keys(world.connections ?? {});
  return usedStatements(doc.flow, catalog).filter(
    ({ connection = '', asks, sql }) => asks !== undefined && sql !== '' && known.includes(connection),
  );
}

function keyOf({
  connection,
  sql,
  change = false,
}: {
  readonly connection?: string | undefined;
  readonly sql: string;
  readonly change?: boolean;
}): string {
  return JSON.stringify([connection, sql, change]);
}

function failed(error: unknown): Described {
  const { code = 'offline', message } = error as Error & { code?: string };
  return { is: 'unknown', code, message };
}
