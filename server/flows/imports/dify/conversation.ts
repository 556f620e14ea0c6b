import type { FlowNode } from '#shared/flow.ts';
import type { DifyApp } from './app.ts';
import type { Became, Here, Level, Write } from './here.ts';
import { typedConstant } from './nodes/lists.ts';
import { stateKeyOf } from './nodes/loops.ts';
import type { Pen } from './pen.ts';
import type { State } from './state.ts';
import { braces, literal } from './write.ts';

/** The variables of a conversation are state of the flow: read at the start, and again after a body that has changed it. */

export function stateGet(value: Here['value'], name: string, fallback: string): FlowNode {
  return {
    operator: 'state.get',
    name: name.slice(0, 200),
    params: { key: stateKeyOf(value, name), fallback: braces(fallback) },
  };
}

/** Puts the nodes behind the node that was drawn, one after the other. */
function behind(
  pen: Pen,
  became: Became,
  nodes: readonly { readonly name: string; readonly node: FlowNode }[],
): { became: Became; ids: string[] } {
  let [port] = Object.values(became.leave).flat();
  const ids = nodes.map(({ name, node }) => {
    const id = pen.here.add(name, node);
    if (port !== undefined) pen.here.wire(port, `${id}.in`);
    port = `${id}.out`;
    return id;
  });
  return { became: { ...became, leave: { ...became.leave, source: [port as string] } }, ids };
}

/** Behind the start of a chat: the variables of the conversation, and the number of its rounds. */
export function readAtStart(state: State, level: Level, pen: Pen, became: Became): Became {
  const { app } = state;
  const text = JSON.stringify(app.nodes.map(({ data }) => data));
  const names = conversationNames(app, text);
  const value: Here['value'] = ([head = '', name = '', ...path]) =>
    became.value([`${head}.${name}`, ...path], '') ?? { expr: 'null' };
  const count = {
    name: 'rounds',
    node: {
      operator: 'state.add',
      name: 'Rounds of the conversation',
      params: { key: stateKeyOf(value, 'dialogue count') },
    },
  };
  const isCounted = text.includes('dialogue_count');
  const reads = names.map((name) => ({
    name: `read_${name}`,
    node: stateGet(value, name, defaultOf(app, name)),
  }));
  if (reads.length === 0 && !isCounted) return became;
  const made = behind(pen, became, isCounted ? [...reads, count] : reads);
  for (const [at, name] of names.entries()) level.reads.set(name, made.ids[at] as string);
  if (isCounted) state.rounds = made.ids.at(-1);
  return made.became;
}

/** Behind an iteration or loop: the variables of the conversation that it assigns. */
export function readAfterBody(pen: Pen, became: Became): Became {
  const names = pen.assigns;
  if (names.length === 0) return became;
  const { value } = pen.here;
  const reads = names.map((name) => ({
    name: `read_again_${name}`,
    node: stateGet(value, name, value(['conversation', name]).expr),
  }));
  const made = behind(pen, became, reads);
  const writes = new Map<string, Write>(became.writes);
  for (const [at, name] of names.entries())
    writes.set(`conversation.${name}`, { id: made.ids[at] as string, expr: `nodes.${made.ids[at]}` });
  return { ...made.became, writes };
}

function defaultOf(app: DifyApp, name: string): string {
  const variable = app.conversation.find((one) => one.name === name);
  return literal(variable ? typedConstant(variable.value, variable.type) : null);
}

/** The variables of the conversation that the file reads or assigns anywhere. */
function conversationNames({ conversation }: DifyApp, text: string): string[] {
  const names = conversation.map(({ name }) => name).filter((name) => name !== '');
  const isUsed = (name: string): boolean =>
    text.includes(`"conversation",${JSON.stringify(name)}`) ||
    text.includes(JSON.stringify(`conversation.${name}`).slice(1, -1));
  return [...new Set(names)].filter(isUsed);
}
