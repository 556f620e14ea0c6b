/**
 * Questions about the project's own docs, for searches by words alone: `exact` has words of the page that answers it, the
 * paraphrase asks for the same without them.
 */
export const questions: readonly {
  readonly document: string;
  readonly exact: string;
  readonly paraphrase: string;
}[] = [
  {
    document: 'models.md',
    exact: 'What does WEFT_OUTBOUND_ALLOW do for providers?',
    paraphrase: 'How can flows reach a model server in my own network?',
  },
  {
    document: 'calling.md',
    exact: 'How do I make an idempotent call with Idempotency-Key?',
    paraphrase: 'What stops the same order from being booked twice when a client repeats its request?',
  },
  {
    document: 'durable-runs.md',
    exact: 'When is a durable run retried after a crash?',
    paraphrase: 'Does a long job survive when the machine loses power?',
  },
  {
    document: 'schedules.md',
    exact: 'How are schedules written as cron?',
    paraphrase: 'How can something happen every Monday morning by itself?',
  },
  {
    document: 'backup.md',
    exact: 'How do I restore a backup of the data folder?',
    paraphrase: 'How do I get everything back after the disk died?',
  },
  {
    document: 'waiting.md',
    exact: 'How can a person approve with a link?',
    paraphrase: 'Can my boss say yes from an email?',
  },
  {
    document: 'operators.md',
    exact: 'How do I write an operator of my own?',
    paraphrase: 'How do I build my own kind of step?',
  },
  {
    document: 'replay.md',
    exact: 'How do I replay a recorded run?',
    paraphrase: "Can I repeat yesterday's execution with the same data?",
  },
  {
    document: 'keys.md',
    exact: 'Which scopes may an API key have?',
    paraphrase: 'What permissions can I give to a program that calls me?',
  },
  {
    document: 'import-export.md',
    exact: 'How do I import a flow of DB-GPT?',
    paraphrase: 'How do I bring over what I drew in the other product?',
  },
  {
    document: 'agents.md',
    exact: 'How do agents use tools within a budget?',
    paraphrase: 'How do I keep an autonomous assistant from spending too much?',
  },
  {
    document: 'code-first.md',
    exact: 'How do I write a flow in TypeScript?',
    paraphrase: 'Can I define a workflow as source code?',
  },
  {
    document: 'openapi.md',
    exact: 'Where is the OpenAPI document served?',
    paraphrase: 'Where is the machine readable description of the interface?',
  },
  {
    document: 'forms.md',
    exact: 'How do forms work without scripts?',
    paraphrase: 'Can visitors fill something in when they have switched off JavaScript?',
  },
  {
    document: 'observability.md',
    exact: 'How are traces sent with OTLP?',
    paraphrase: 'How do I see in my monitoring how long each step took?',
  },
  {
    document: 'testing.md',
    exact: 'How do I test a flow with kept runs?',
    paraphrase: 'How do I check automatically that a change breaks nothing?',
  },
  {
    document: 'knowledge.md',
    exact: 'What is reciprocal rank fusion used for?',
    paraphrase: 'How are two result lists put together?',
  },
  {
    document: 'runs.md',
    exact: 'How long is the history of runs kept?',
    paraphrase: 'When are old executions deleted?',
  },
  {
    document: 'chat.md',
    exact: 'What is the public page of an app?',
    paraphrase: 'Can people without an account talk to my assistant?',
  },
  {
    document: 'glossary.md',
    exact: 'What does the word asker mean in the glossary?',
    paraphrase: 'What are the terms that this project uses?',
  },
];
