import type { ErrorEntry } from './entry.ts';

/** Chat, its conversations and its streams. */
export const chatErrors = {
  invalid_chat_mode: {
    status: 400,
    meaning: 'The chat mode is none of those that exist.',
    remedy: 'Send `chat_mode` chat_normal, chat_app or chat_flow, or leave it out.',
  },
  invalid_chat_param: {
    status: 400,
    meaning: 'The chat mode needs to know which app or flow, and `chat_param` is missing.',
    remedy: 'Send the app_code (chat_app) or the id of the flow (chat_flow) as `chat_param`.',
  },
  chat_mode_not_offered: {
    status: 501,
    meaning: 'The chat mode exists, but this server does not offer it.',
    remedy: 'Use chat_normal, chat_app or chat_flow; an app or a flow can look things up.',
  },
  flow_not_chat: {
    status: 400,
    meaning: 'The flow is live but has no chat trigger, so nobody can chat with it.',
    remedy: 'Add a `trigger.chat` node to it, or name another flow: GET /v1/models lists them.',
  },
  answer_failed: {
    status: 502,
    meaning: 'The flow answered a chat with an error, or with something that is no answer.',
    remedy: 'Look at the run: its result shows what the last node gave.',
  },
  conversation_not_found: {
    status: 404,
    meaning: 'No conversation with this id is kept for the caller.',
    remedy: 'GET /api/v1/chat/conversations lists those that are kept.',
  },
  response_not_kept: {
    status: 400,
    meaning:
      'The request leans on an earlier response, or wants one to go on in the background; neither is kept here.',
    remedy:
      'Send the whole conversation in `input`, and no references to items: clients do so with `store: false`. Leave the field that `param` names out.',
  },
  stream_not_kept: {
    status: 404,
    meaning: 'No streamed answer of this run is kept to go on with.',
    remedy: 'Send `X-Weft-Resume: <seconds>` with the chat, and come back within that time; else ask again.',
  },
  stream_gap: {
    status: 409,
    meaning: 'Part of the streamed answer behind that event is no longer kept.',
    remedy: 'Ask again, or read the conversation when the run has ended; come back sooner next time.',
  },
} as const satisfies Record<string, ErrorEntry>;
