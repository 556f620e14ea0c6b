import { isRecord } from '#shared/json.ts';

/** Scenes of native apps of DB-GPT that an agent with its resources covers here. */
const SCENES = ['chat_normal', 'chat_knowledge', 'chat_with_db_qa', 'chat_with_db_execute', 'chat_data'];

/**
 * The reason why a native app cannot answer, if it cannot. DB-GPT has a program for each `chat_scene` of `team_context`; for a
 * plain chat, a knowledge space and a database it is an agent here, whose resources name the space or database.
 */
export function sceneFault({ team_context }: { readonly team_context: string | null }): string | undefined {
  const scene = sceneIn(team_context);
  if (scene === undefined || SCENES.includes(scene)) return undefined;
  return `its scene \`${scene}\` is a program of the original, which Weft does not have; scenes that it has are ${SCENES.join(', ')}`;
}

function sceneIn(context: string | null): string | undefined {
  if (context === null || context.trim() === '') return undefined;
  const scene = fieldsIn(context)?.['chat_scene'];
  return typeof scene === 'string' && scene !== '' ? scene : undefined;
}

function fieldsIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isRecord(value) ? value : { chat_scene: value };
  } catch {
    return { chat_scene: text };
  }
}
