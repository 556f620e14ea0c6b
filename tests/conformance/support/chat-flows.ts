/** Flows to chat with: a value, what was said before, and what a team of agents says. */
const greet = {
  format: 1,
  id: 'greet',
  nodes: {
    chat: { operator: 'trigger.chat' },
    say: { operator: 'core.map', params: { value: 'Hello, {{ input.text }}!' } },
  },
  edges: [{ from: 'chat.out', to: 'say.in' }],
};

const remembers = {
  ...greet,
  id: 'remembers',
  nodes: {
    ...greet.nodes,
    say: {
      operator: 'core.map',
      params: { value: '{{ input.history.map((one) => one.content).join("; ") }} + {{ input.text }}' },
    },
  },
};

export const message = { sender: 'Planner', receiver: 'Worker', model: null, markdown: 'Do "it".\nNow.' };

const planned = (status: string): object => ({
  type: 'plan',
  plan: { name: 'goal', num: 1, status, agent: 'Worker', messages: [message] },
});

const team = {
  format: 1,
  id: 'team',
  nodes: {
    chat: { operator: 'trigger.chat' },
    items: {
      operator: 'core.map',
      params: {
        value: [
          planned('running'),
          planned('complete'),
          { type: 'speaker', sender: 'Planner', receiver: 'User', model: 'demo/echo' },
          { type: 'text', text: 'It is "done"' },
          { type: 'text', text: '\n🚀' },
        ],
      },
    },
    stream: { operator: 'core.streamify' },
  },
  edges: [
    { from: 'chat.out', to: 'items.in' },
    { from: 'items.out', to: 'stream.in' },
  ],
};

export const chatFlows = [greet, remembers, team] as const;
