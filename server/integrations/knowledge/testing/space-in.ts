import type { KnowledgeDocument } from '#shared/knowledge.ts';
import type { Bed } from '../../../testing/platform-bed.ts';

const bytesOf = (content: Uint8Array | string): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

/** A space of a server. */
export async function spaceIn({ ctx }: Bed) {
  const knowledge = await ctx.knowledge.opened();
  const { id } = await knowledge.addSpace({ name: 'tea', model: null });
  const put = (name: string, content: Uint8Array | string) =>
    knowledge.put(id, { name, kind: 'file', content: bytesOf(content) });
  const all = async (): Promise<KnowledgeDocument[]> => {
    const { items } = await knowledge.documents(id, { offset: 0, limit: 1000 });
    return items;
  };
  const settled = async (): Promise<KnowledgeDocument[]> => {
    for (;;) {
      const documents = await all();
      if (documents.every(({ status }) => status === 'ready' || status === 'failed')) return documents;
      await new Promise((done) => setTimeout(done, 100));
    }
  };
  return { knowledge, put, settled };
}

export const by = { flow: 't', version: '', run: 't', node: 't', operator: 'knowledge.retrieve' };
