import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { documentParam, spaceParam } from '../_knowledge.ts';

export default defineOperator({
  title: 'Remove document',
  doc: 'Removes a document from a knowledge space, with its chunks and vectors.',
  icon: 'book-x',
  summary: '{space} · {name}',
  synonyms: 'delete document, forget document',
  params: z.object({ space: spaceParam, name: documentParam }),
  inputs: { in: optionalInput({ doc: 'Any value, which starts the removal; the name may depend on it.' }) },
  outputs: { out: output({ doc: 'Whether there was such a document.', schema: z.boolean() }) },
  effects: 'write',
  lift: true,
  examples: [
    { title: 'There was none', params: { space: 'tea', name: 'x' }, inputs: {}, outputs: { out: false } },
    { title: 'No such space', params: { space: 'none', name: 'x' }, inputs: {}, error: 'space_not_found' },
  ],
  async run(call) {
    const { space, name } = call.params;
    const wasThere = await call.service('knowledge').remove(space, name);
    call.signal.throwIfAborted();
    return wasThere;
  },
});
