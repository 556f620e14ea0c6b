import type { ErrorEntry } from './entry.ts';

/** Chat: modes, conversations and streams. */
export const chatErrors = {
  invalid_chat_mode: {
    status: 400,
    meaning: 'There is no such chat mode.',
    remedy:
      'Send `chat_mode` chat_normal, chat_app, chat_flow, chat_knowledge or chat_data, or leave it out.',
  },
  invalid_chat_param: {
    status: 400,
    meaning: 'The chat mode needs to know whom or what to ask, and `chat_param` is missing.',
    remedy:
      'Send as `chat_param` the app_code (chat_app), the id of the flow (chat_flow), the name of the knowledge space (chat_knowledge) or of the connection (chat_data).',
  },
  chat_mode_not_offered: {
    status: 501,
    meaning: 'The chat mode exists, but this server does not offer it.',
    remedy: 'Use chat_knowledge or chat_data to look things up; an app or a flow can do more.',
  },
  flow_not_chat: {
    status: 400,
    meaning: 'The flow is live but has no chat trigger, so nobody can chat with it.',
    remedy: 'Add a `trigger.chat` node to it, or name another flow: GET /v1/models lists them.',
  },
  answer_failed: {
    status: 502,
    meaning: 'The flow answered a chat with an error, or with something that is no chat answer.',
    remedy: 'Look at the run: its result shows what the last node gave.',
  },
  conversation_not_found: {
    status: 404,
    meaning: 'The caller has no stored conversation with this id.',
    remedy: 'GET /api/v1/chat/conversations lists the stored conversations.',
  },
  response_not_kept: {
    status: 400,
    meaning:
      'The request refers to an earlier response, or asks for one in the background; this server does neither.',
    remedy:
      'Send the whole conversation in `input`, and no references to items: clients do so with `store: false`. Leave the field that `param` names out.',
  },
  mcp_group_not_found: {
    status: 404,
    meaning: 'No live flow is in this group of MCP tools.',
    remedy:
      'Name the group in `settings.mcpGroups` of a flow and publish it, or use /mcp, which has all tools.',
  },
  stream_not_kept: {
    status: 404,
    meaning: 'No streamed answer of this run is stored to resume.',
    remedy:
      'Send `X-Weft-Resume: <seconds>` with the chat, and reconnect within that time; otherwise ask again.',
  },
  stream_gap: {
    status: 409,
    meaning: 'Part of the streamed answer after that event is no longer stored.',
    remedy: 'Ask again, or read the conversation when the run has ended; reconnect sooner next time.',
  },
} as const satisfies Record<string, ErrorEntry>;
