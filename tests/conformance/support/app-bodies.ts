/** The demo model does what such a block in its instructions says. */
export const script = (...lines: readonly string[]): string => ['```demo', ...lines, '```'].join('\n');

const agent = (agent_name: string, more: object = {}): object => ({ agent_name, resources: [], ...more });

/** One agent, which asks a model of the scripted provider. */
export const oneAgent = (name: string, model: string): object => ({
  app_name: name,
  details: [agent('Clerk', { llm_strategy: 'priority', llm_strategy_value: model })],
});

/** Two agents with plans, tools and texts that need care in JSON within JSON. */
export const team = {
  app_name: 'Team',
  team_mode: 'auto_plan',
  details: [
    agent('Ada', {
      prompt_template: script('call hello {"name": "Ada \\"the\\" \\\\first"}', '---', 'say $tool'),
      resources: [{ type: 'awel_flow', name: 'hello', value: 'simple_dag_example' }],
    }),
    agent('Bob', { prompt_template: script('pace 5', 'say Grüße 🚀 "quoted" $user') }),
  ],
};
