/** A workflow in short, for tests. */
export interface Short {
  /** By name: the kind with its version (`set@3.4`), its params, and other fields. */
  readonly nodes: Readonly<
    Record<
      string,
      readonly [kind: string, parameters?: Record<string, unknown>, more?: Record<string, unknown>]
    >
  >;
  /** `A > B`, `If.1 > B`, `A > Merge.1`; `Model ai_languageModel> Agent`. */
  readonly wires?: readonly string[];
  readonly more?: Readonly<Record<string, unknown>>;
}

const LANGCHAIN =
  /^(?:agent|chain|chat$|lm|memory|model[A-Z]|tool|outputParser|embeddings|vectorStore|document|textSplitter|openAi(?:$|Assistant)|chatTrigger|manualChatTrigger|informationExtractor|textClassifier|sentimentAnalysis|guardrails|mcp|ollama|retriever|reranker|googleGemini|anthropic)/;

/** The file that n8n exports of it. */
export function n8nFile(name: string, { nodes, wires = [], more = {} }: Short): Record<string, unknown> {
  const connections: Record<string, Record<string, unknown[][]>> = {};
  for (const wire of wires) {
    const [, from = '', output, kind, to = '', input] =
      /^(.+?)(?:\.(\d+))? (ai_\w+)?> (.+?)(?:\.(\d+))?$/.exec(wire) ?? [];
    const outputs = ((connections[from] ??= {})[kind ?? 'main'] ??= []);
    const at = Number(output ?? 0);
    for (let i = outputs.length; i <= at; i++) outputs.push([]);
    outputs[at]?.push({ node: to, type: kind ?? 'main', index: Number(input ?? 0) });
  }
  return {
    name,
    nodes: Object.entries(nodes).map(([one, [kind, parameters = {}, fields = {}]], i) => {
      const [, type = '', version = '1'] = /^(.+?)(?:@([\d.]+))?$/.exec(kind) ?? [];
      const owner = type.includes('.')
        ? ''
        : LANGCHAIN.test(type)
          ? '@n8n/n8n-nodes-langchain.'
          : 'n8n-nodes-base.';
      return {
        id: String(i),
        name: one,
        type: `${owner}${type}`,
        typeVersion: Number(version),
        position: [i * 220, 0],
        parameters,
        ...fields,
      };
    }),
    connections,
    settings: { executionOrder: 'v1' },
    ...more,
  };
}
