import type { ChatInput } from '#shared/chat-item.ts';
import { letWork, type AgentResult } from './loop.ts';
import { conversationOf } from './prompts.ts';
import type { Member } from './team.ts';
import { type Openers, openToolbox } from './toolbox.ts';
import type { Work } from './work.ts';

/** The name for the user in the conversation. */
export const USER = 'User';

/** One agent answers. */
export async function singleAgent(
  member: Member,
  input: ChatInput,
  work: Work,
  openers: Openers,
): Promise<AgentResult> {
  await work.emit({
    type: 'speaker',
    sender: member.name,
    receiver: USER,
    model: work.modelName(member.models[0]),
  });
  const toolbox = await openToolbox(member, openers, work);
  return letWork(member, conversationOf(input), toolbox, work);
}
