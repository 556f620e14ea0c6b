import { PART_KINDS } from './agents/parts.ts';
import type { Entry } from './entry.ts';
import { agentEntries } from './nodes/agents.ts';
import { branchEntries } from './nodes/branches.ts';
import { calledTriggerEntries } from './nodes/triggers/called-triggers.ts';
import { confirmedHookEntries } from './nodes/triggers/confirmed-hooks.ts';
import { chartEntries } from './nodes/charts.ts';
import { chatEntries } from './nodes/chats.ts';
import { codeEntries } from './nodes/code.ts';
import { databaseEntries } from './nodes/databases.ts';
import { dataTableEntries } from './nodes/data-tables.ts';
import { fieldEntries } from './nodes/fields.ts';
import { mcpEntries } from './nodes/mcp.ts';
import { mcpClientEntries } from './nodes/mcp-clients.ts';
import { fileEntries } from './nodes/files.ts';
import { watchedFileEntries } from './nodes/triggers/watched-files.ts';
import { fileFormEntries } from './nodes/file-forms.ts';
import { flowEntries } from './nodes/flows.ts';
import { formPageEntries } from './nodes/form-pages.ts';
import { formEntries } from './nodes/forms.ts';
import { guardrailEntries } from './nodes/guardrails.ts';
import { httpEntries } from './nodes/http.ts';
import { knowledgeEntries } from './nodes/knowledge.ts';
import { listEntries } from './nodes/lists.ts';
import { mergeEntries } from './nodes/merges.ts';
import { modelCallEntries } from './nodes/model-calls.ts';
import { sampleEntries } from './nodes/samples.ts';
import { runNoteEntries } from './nodes/notes-of-runs.ts';
import { flowPollEntries } from './nodes/triggers/flow-polls.ts';
import { serviceTriggerEntries } from './nodes/triggers/service-triggers.ts';
import { serviceHookEntries } from './nodes/triggers/service-hooks.ts';
import { serviceEntries } from './nodes/services.ts';
import { tokenEntries } from './nodes/tokens.ts';
import { sshEntries } from './nodes/ssh.ts';
import { textEntries } from './nodes/texts.ts';
import { triggerEntries } from './nodes/triggers/triggers.ts';
import { waitEntries } from './nodes/waits.ts';
import { webhookEntries } from './nodes/triggers/webhooks.ts';
import type { Step } from './workflow.ts';

/** All types of n8n that become something here. */
export const entries: readonly Entry[] = [
  ...triggerEntries,
  ...webhookEntries,
  ...serviceHookEntries,
  ...serviceTriggerEntries,
  ...flowPollEntries,
  ...calledTriggerEntries,
  ...confirmedHookEntries,
  ...formEntries,
  ...formPageEntries,
  ...branchEntries,
  ...fieldEntries,
  ...codeEntries,
  ...httpEntries,
  ...listEntries,
  ...mergeEntries,
  ...flowEntries,
  ...waitEntries,
  ...textEntries,
  ...tokenEntries,
  ...databaseEntries,
  ...dataTableEntries,
  ...fileEntries,
  ...fileFormEntries,
  ...watchedFileEntries,
  ...sshEntries,
  ...mcpEntries,
  ...mcpClientEntries,
  ...agentEntries,
  ...chatEntries,
  ...chartEntries,
  ...guardrailEntries,
  ...modelCallEntries,
  ...knowledgeEntries,
  ...runNoteEntries,
  ...sampleEntries,
  ...serviceEntries,
  ...PART_KINDS.map(([kind, becomes, word]): Entry => ({ kind, word, becomes })),
  {
    kind: 'splitInBatches',
    versions: '1 to 3',
    word: 'equal',
    becomes: '`data.for-each` with a body',
    difference: 'A loop that nothing leads back to takes all batches.',
  },
  { kind: 'stickyNote', word: 'equal', becomes: 'a note' },
];

const byKind = new Map(entries.map((entry) => [entry.kind, entry]));

export function entryOf({ kind }: Pick<Step, 'kind'>): Entry | undefined {
  return byKind.get(kind);
}

/** Kinds whose types belong to the langchain package; all others belong to the base package. */
const LANGCHAIN =
  /^(?:agent|chain|chat$|lm[A-Z]|memory|model[A-Z]|tool[A-Z]|outputParser|embeddings|vectorStore|document[A-Z]|textSplitter|openAi|chatTrigger|manualChatTrigger|informationExtractor|textClassifier|sentimentAnalysis|guardrails|mcp|ollama|retriever|reranker|googleGemini|anthropic)/;

/**
 * The table in the form in which the share of workflows that it covers is counted: the word of each type, the constructs of expressions that
 * can be said, and whether loops can.
 */
export function shareTable(): {
  readonly types: Readonly<Record<string, string>>;
  readonly expressions: readonly string[];
  readonly code: boolean;
  readonly items: boolean;
} {
  const types = entries.flatMap(({ kind, word, isSeldom }): [string, string][] => {
    if (isSeldom) return [];
    if (kind === 'openAi')
      return [
        [`b:${kind}`, word],
        [`l:${kind}`, word],
      ];
    // Types of others have the name of their package.
    if (kind.includes('.')) return [[kind, word]];
    return [[`${LANGCHAIN.test(kind) ? 'l' : 'b'}:${kind}`, word]];
  });
  return {
    types: Object.fromEntries(types),
    expressions: [
      'date-time',
      'n8n-value-methods',
      'regex-literals',
      'js-leftovers',
      'if-ifempty-jmespath-min-max',
      'math-random-pow',
      'runindex',
      'execution-resumeurl-mode-customdata-workflow-active',
      'pagination',
      'node-facts',
      'blocks-iife-function-comments',
      'binary-binary',
    ],
    code: true,
    items: true,
  };
}
