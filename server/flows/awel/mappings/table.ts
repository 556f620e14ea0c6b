import { effectMappings } from './effects.ts';
import { knowledgeMappings } from './knowledge.ts';
import type { Mapping } from './mapping.ts';
import { modelMappings } from './models.ts';
import { promptMappings } from './prompts.ts';
import { triggerMappings } from './triggers.ts';
import { valueMappings } from './values.ts';

/** Every operator of DB-GPT that has a counterpart here. The others become placeholders. */
export const mappings: ReadonlyMap<string, Mapping> = new Map(
  Object.entries({
    ...triggerMappings,
    ...valueMappings,
    ...promptMappings,
    ...modelMappings,
    ...effectMappings,
    ...knowledgeMappings,
  }),
);

export function mappingOf(name: string): Mapping | undefined {
  return mappings.get(name);
}
