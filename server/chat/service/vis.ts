import type { AgentMessage, AgentPlan, ChatItem, PlanStatus } from '#shared/chat-item.ts';
import { chartMarkup, chartText, referencesMarkup, referencesText, spacedJson } from '#shared/chat-markup.ts';

/**
 * The text of an answer by agents: plans and messages as fenced blocks of JSON, joined by newlines.
 *
 * CV1. `take` and `end` return increments; `whole()` always starts with all of them together, and equals them
 *      after `end`.
 * CV2. A plan's block is emitted once the plan has settled (complete or failed), the message of a speaker token
 *      by token.
 * CV3. `whole()` is well formed at any moment: each block is closed, each JSON in it parses.
 * CV4. Text without a named speaker is not in a block.
 * CV5. An app's answer without a plan ends with one for the question, as readers of DB-GPT expect of every app.
 */
export interface Rendering {
  /** The text that an item adds; empty for nothing. */
  take(item: ChatItem): string;
  /** Closes open blocks; `status` is the status of the question, if it did not succeed. */
  end(status?: PlanStatus): string;
  /** The whole text so far, including plans in progress. */
  whole(): string;
}

type Speaker = Extract<ChatItem, { type: 'speaker' }>;

/** `goal` is the question that an app answers. */
export function createBlocks(goal?: string): Rendering {
  /** The part that will not change any more. */
  let sealed = '';
  let speaker: Speaker | undefined;
  /** The speaker of the open block; null for text outside blocks; undefined if nothing is open. */
  let open: Speaker | null | undefined;
  /** Plans that have not settled, or have changed since. */
  const live = new Map<number, AgentPlan>();
  const own = createGoalPlan(goal);

  function seal(text: string): string {
    sealed += text;
    return text;
  }

  /** Starts another part. */
  function begin(text: string): string {
    return seal(`${sealed === '' ? '' : '\n'}${text}`);
  }

  function close(): string {
    const foot = open ? FOOT : '';
    open = undefined;
    return seal(foot);
  }

  function write(text: string): string {
    if (text === '') return '';
    const opening = open === undefined ? begin(speaker ? headOf(speaker) : '') : '';
    if (open === undefined) {
      open = speaker ?? null;
      if (speaker) own.begins(speaker);
    }
    if (open) own.says(text);
    return opening + seal(open ? escaped(text) : text);
  }

  function settle(plan: AgentPlan): string {
    live.delete(plan.num);
    return close() + begin(planBlock([plan]));
  }

  function plan(next: AgentPlan): string {
    own.drop();
    live.set(next.num, next);
    return next.status === 'complete' || next.status === 'failed' ? settle(next) : '';
  }

  return {
    take(item) {
      if (item.type === 'text') return write(item.text);
      if (item.type === 'plan') return plan(item.plan);
      if (item.type === 'references') return close() + seal(referencesMarkup(item));
      if (item.type === 'chart') return close() + begin(chartMarkup(item.chart));
      if (item.type !== 'speaker') return '';
      speaker = item;
      return close();
    },
    end(status = 'complete') {
      for (const left of own.take(status)) live.set(left.num, left);
      return close() + inOrder(live).map(settle).join('');
    },
    whole() {
      const message = open ? FOOT : '';
      const plans = live.size === 0 ? '' : planBlock(inOrder(live));
      return `${sealed}${message}${sealed !== '' && plans !== '' ? '\n' : ''}${plans}`;
    },
  };
}

/** Collects the messages of an answer for its final plan of one step, unless it has plans of its own. */
function createGoalPlan(goal: string | undefined) {
  let messages: (Omit<AgentMessage, 'markdown'> & { markdown: string })[] = [];
  let isWanted = goal !== undefined;
  return {
    begins({ sender, receiver, model }: Speaker): void {
      if (isWanted) messages.push({ sender, receiver, model, markdown: '' });
    },
    says(text: string): void {
      const last = messages.at(-1);
      if (last) last.markdown += text;
    },
    drop(): void {
      isWanted = false;
      messages = [];
    },
    /** The plan, once; none if there are no messages. */
    take(status: PlanStatus): AgentPlan[] {
      const said = messages;
      this.drop();
      const [first] = said;
      return first && goal !== undefined
        ? [{ name: goal, num: 1, status, agent: first.sender, messages: said }]
        : [];
    },
  };
}

/** The plain text of an answer: the text of the speakers, one paragraph each, without plans. */
export function createPlainText(): Rendering {
  let sealed = '';
  let turned = false;
  return {
    take(item) {
      if (item.type === 'speaker') turned = sealed !== '';
      const said = saidIn(item);
      if (said === '') return '';
      const text = turned ? `\n\n${said}` : said;
      turned = false;
      sealed += text;
      return text;
    },
    end: () => '',
    whole: () => sealed,
  };
}

function saidIn(item: ChatItem): string {
  if (item.type === 'references') return referencesText(item);
  if (item.type === 'chart') return chartText(item.chart);
  return item.type === 'text' ? item.text : '';
}

const FENCE = '```';
const FOOT = `"}]\n${FENCE}`;

function block(tag: string, records: readonly object[]): string {
  return `${FENCE}${tag}\n${spacedJson(records)}\n${FENCE}`;
}

/** The start of a message block, up to its text. */
function headOf(speaker: Speaker): string {
  return block('agent-messages', [recordOf({ ...speaker, markdown: '' })]).slice(0, -FOOT.length);
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inOrder(plans: ReadonlyMap<number, AgentPlan>): AgentPlan[] {
  return [...plans.values()].sort((a, b) => a.num - b.num);
}

function planBlock(plans: readonly AgentPlan[]): string {
  const records = plans.map(({ name, num, status, agent, messages }) => ({
    name,
    num,
    status,
    agent,
    markdown: messages.length === 0 ? '' : block('agent-messages', messages.map(recordOf)),
  }));
  return block('agent-plans', records);
}

/** The fields are in the order of DB-GPT, whose readers expect a text in each; an unknown model is an empty text. */
function recordOf({ sender, receiver, model, markdown }: AgentMessage): AgentMessage {
  return { sender, receiver, model: model ?? '', markdown };
}
