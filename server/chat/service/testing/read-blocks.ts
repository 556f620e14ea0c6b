/** One fenced block of an agents' answer. */
export interface Block {
  readonly tag: string;
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

/** Reads rendered blocks as strictly as possible; throws if they are not well formed. */
export function readBlocks(text: string): Block[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 3) {
    const tag = /^```(agent-plans|agent-messages)$/.exec(lines[at] ?? '')?.[1];
    if (tag === undefined || lines[at + 2] !== '```') throw new Error(`No block at line ${at}: ${text}`);
    blocks.push({ tag, records: JSON.parse(lines[at + 1] as string) as Block['records'] });
  }
  return blocks;
}
