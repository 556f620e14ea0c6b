import type { ChatInput } from '#shared/chat-item.ts';
import { letWork, type AgentResult } from './loop.ts';
import { conversationOf } from './prompts.ts';
import type { Member } from './team.ts';
import { type Openers, openToolbox } from './toolbox.ts';
import { inStrand, type SharedWork } from './work.ts';

/** The name for the user in the conversation. */
export const USER = 'User';

/** One agent answers. */
export async function singleAgent(
  member: Member,
  input: ChatInput,
  work: SharedWork,
  openers: Openers,
): Promise<AgentResult> {
  await work.emit({
    type: 'speaker',
    sender: member.name,
    receiver: USER,
    model: work.modelName(member.models[0]),
  });
  return inStrand(work, '', async (own) => {
    const toolbox = await openToolbox(member, openers, own);
    return letWork(member, conversationOf(input), toolbox, own);
  });
}
