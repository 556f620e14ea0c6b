import { setImmediate } from 'node:timers/promises';
import type { NameUse } from '#shared/api.ts';
import type { Context } from './context.ts';

/** The number of flows that are read before other requests get their turn. */
const AT_ONCE = 20;

/**
 * The flows with a match of `pattern` in their text: in the draft, or in what is live. They are searched when somebody is about to
 * delete what they name, so nothing is kept for it.
 */
export async function flowsThatMention({ flows }: Pick<Context, 'flows'>, pattern: RegExp): Promise<NameUse> {
  const found: { id: string; name?: string }[] = [];
  let searched = 0;
  for (const { id, name, hasDraft } of flows.list()) {
    if (++searched % AT_ONCE === 0) await setImmediate();
    // It may have been deleted meanwhile.
    const edited = await flows.get(id).catch(() => undefined);
    const live = hasDraft ? flows.live(id)?.flow : undefined;
    const texts = [edited?.text ?? '', live === undefined ? '' : JSON.stringify(live)];
    if (texts.some((text) => pattern.test(text))) found.push({ id, ...(name !== undefined && { name }) });
  }
  return { flows: found };
}

/** `{ "$secret": "name" }` in the text of a flow. */
export function secretPattern(name: string): RegExp {
  return new RegExp(String.raw`"\$secret"\s*:\s*"${escaped(name)}"`);
}

/**
 * `vars.name` or `vars["name"]` in the text of a flow, in which quotes within a text are escaped. Never two runs of blanks in a row
 * without something between them: a flow with many blanks would hold up the server.
 */
export function variablePattern(name: string): RegExp {
  return new RegExp(
    String.raw`\bvars\s*(?:\??\.\s*|(?:\?\.\s*)?\[\s*\\?["'])${escaped(name)}(?![A-Za-z0-9_$])`,
  );
}

function escaped(name: string): string {
  return name.replaceAll(/[^\w]/g, String.raw`\$&`);
}
