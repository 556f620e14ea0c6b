import type { FlowEdge, FlowNode } from '#shared/flow.ts';
import type { ImportChange, ImportNeed, ImportWord } from '#shared/import-report.ts';
import { idFrom, idSource } from '../../awel/names.ts';
import { placeholderNode } from '../frame/placeholder.ts';
import { type DifyNode, textOf } from './app.ts';
import type { Became, Here, Inner, Inside, Level } from './here.ts';
import { modelChoice } from './models.ts';
import { risky } from './risky.ts';
import { Settings } from './settings.ts';
import { type Entry, entryOf, type State, titleOf } from './state.ts';
import { offersFor, STARTS } from './table.ts';
import { partsOf } from './texts.ts';
import type { Values } from './values.ts';
import { members, templateOf, textExpr } from './write.ts';

export interface Tools {
  readonly state: State;
  readonly values: Values;
  readonly body: (level: Level, node: DifyNode, start: string, end: (inner: Inner) => FlowNode) => Inside;
}

/** Draws one node. Nothing is drawn before `commit`. */
export class Pen {
  private nodes = new Map<string, FlowNode>();
  private edges: FlowEdge[] = [];
  private notes = new Set<string>();
  private changes: ImportChange[] = [];
  private needs: Omit<ImportNeed, 'nodes'>[] = [];
  private mainId: string | undefined;
  private isPlaceholder = false;
  private offers: readonly string[] = [];
  private readonly settings: Settings;
  readonly here: Here;
  assigns: readonly string[] = [];
  mayFail = false;

  private readonly state: State;
  private readonly level: Level;
  private readonly node: DifyNode;

  constructor({ state, values, body }: Tools, level: Level, node: DifyNode) {
    this.state = state;
    this.level = level;
    this.node = node;
    this.settings = new Settings(node.data);
    const value: Here['value'] = (selector) =>
      values.value(level, node, selector, (what) => this.missing(what));
    this.here = {
      app: state.app,
      flow: state.flow,
      isChat: state.isChat,
      streamed: state.ends?.streamed ?? new Set(),
      secrets: state.secrets,
      node,
      level,
      settings: this.settings,
      value,
      text: (text) => textExpr(partsOf(text, value)),
      template: (text) => templateOf(partsOf(text, value)),
      add: (suffix, made) => this.add(`${this.base}_${suffix}`, made),
      idFor: (suffix) => state.idFor(idFrom(`${this.base}_${suffix}`, 'node')),
      main: (made, stand) => this.main(made, stand),
      wire: (from, to) => void this.edges.push({ from, to }),
      note: (difference) => void this.notes.add(difference),
      need: (need) => void this.needs.push(need),
      change: (change) => void this.changes.push({ ...change, node: titleOf(node) }),
      secretOf: (selector) => this.secretOf(selector),
      model: (given) => modelChoice(this.here, given),
      body: (start, end) => {
        const inside = body(level, node, start, end);
        this.assigns = inside.assigns;
        return inside;
      },
    };
  }

  private get base(): string {
    return idFrom(this.node.title.slice(0, 40), idFrom(this.node.type, 'node'));
  }

  private add(hint: string, node: FlowNode): string {
    const id = this.state.idFor(idFrom(hint, 'node'));
    this.nodes.set(id, node);
    return id;
  }

  private main(given: FlowNode, stand: Parameters<Here['main']>[1]): string {
    const { node, mayFail, note } = risky(given, this.node.data, stand);
    if (note !== undefined) this.notes.add(note);
    this.mayFail = mayFail;
    const about = textOf(this.node.data['desc']).trim();
    this.mainId = this.add(this.base, {
      ...(this.node.title !== '' && { name: this.node.title.slice(0, 200) }),
      ...(about !== '' && { description: about.slice(0, 10_000) }),
      ...node,
    });
    return this.mainId;
  }

  private missing(what: string): void {
    this.changes.push({
      what: 'expression',
      effect: 'changed',
      node: titleOf(this.node),
      before: what.slice(0, 200),
      after: 'null',
      message: `Nothing before the node gives ${what.slice(0, 100)}; it is empty.`,
    });
    this.notes.add('It reads a variable that nothing before it gives.');
  }

  private secretOf([head, name = '']: readonly string[]): string | undefined {
    const variable = head === 'env' ? this.state.app.environment.find((one) => one.name === name) : undefined;
    if (variable?.type !== 'secret') return undefined;
    const value = textOf(variable.value);
    const isKept = value !== '' && !/^\*+$/.test(value);
    const { flow, secrets } = this.state;
    const secret = isKept
      ? secrets.take(value, name)
      : idFrom(`${flow.slice(0, 30)}_${name}`, 'imported_secret');
    this.needs.push({
      kind: 'secret',
      name: secret,
      message: isKept
        ? `Grant the secret ${secret} to the hosts that it is sent to.`
        : `Store the secret ${secret}, which is ${name} in the environment there.`,
      ...(isKept && { kept: true }),
    });
    return secret;
  }

  /** Settings that no mapping has looked at. */
  tellUnread(): void {
    for (const name of this.settings.unread()) {
      const before =
        `${name}: ${JSON.stringify(this.state.secrets.cleaned(this.settings.all[name], name))}`.slice(0, 500);
      this.changes.push({
        what: 'setting',
        effect: 'changed',
        node: titleOf(this.node),
        before,
        message: `The setting ${name.slice(0, 80)} has no counterpart.`,
      });
      this.notes.add(`Its setting ${name.slice(0, 80)} has no counterpart.`);
    }
  }

  reset(): void {
    this.nodes = new Map();
    this.edges = [];
    this.notes = new Set();
    this.changes = [];
    this.needs = [];
    this.assigns = [];
    this.mayFail = false;
  }

  placeholder(why: string, handles: readonly string[], inside: readonly unknown[]): Became {
    const { secrets } = this.state;
    this.isPlaceholder = true;
    this.offers = offersFor(this.node);
    const { type, title, data } = this.node;
    const made = placeholderNode({
      product: 'Dify',
      type,
      name: title,
      parameters: secrets.cleaned(inside.length === 0 ? data : { ...data, inside }, type),
      offers: this.offers,
    });
    const id = this.add(this.base, made);
    this.notes.add(`It has no counterpart: ${why}.`);
    const portOf = idSource([]);
    const leave = Object.fromEntries(
      ['source', ...handles.filter((one) => one !== 'source')].map((handle) => [
        handle,
        [`${id}.${portOf(handle === 'source' ? 'out' : idFrom(handle, 'way'))}`],
      ]),
    );
    return {
      enter: STARTS.has(type) ? undefined : `${id}.in`,
      leave,
      value: (path) => ({ expr: members(`nodes.${id}`, path, '?') }),
    };
  }

  /** Leads all ports before the node to it: from several places through a merge, which waits for all of them. */
  lead(ports: readonly string[], to: string): void {
    if (ports.length === 1) {
      this.edges.push({ from: ports[0] as string, to });
      return;
    }
    const id = this.add(`${this.base}_after`, { operator: 'core.merge' });
    this.edges.push(...ports.map((from, order) => ({ from, to: `${id}.in`, order })), {
      from: `${id}.out`,
      to,
    });
  }

  commit(places: Map<string, { x: number; y: number }>): void {
    Object.assign(this.level.nodes, Object.fromEntries(this.nodes));
    this.level.edges.push(...this.edges);
    let beside = 0;
    for (const id of this.nodes.keys()) {
      const { x, y } = this.node.place;
      const isMain = id === this.mainId || this.nodes.size === 1;
      // The canvas of Weft has wider cards, and some nodes became several.
      places.set(id, isMain ? { x: x * 2, y: y * 1.4 } : { x: x * 2 - 280, y: y * 1.4 + 110 * beside++ });
    }
  }

  /** The way on after an error; an error that nobody deals with is a line in the log, as the flow there goes on without it. */
  withErrors(became: Became, isLed: boolean): Became {
    if (!this.mayFail || this.mainId === undefined || this.isPlaceholder) return became;
    const port = `${this.mainId}.error`;
    if (isLed) return { ...became, leave: { ...became.leave, 'fail-branch': [port] } };
    const id = this.add(`${this.base}_error`, {
      operator: 'core.log',
      params: { level: 'warn', message: '{{ input.message }}' },
    });
    this.edges.push({ from: port, to: `${id}.in` });
    return became;
  }

  entry(into?: string): Entry {
    const ids = [...this.nodes.keys()];
    const difference = [...this.notes].join(' ');
    const word: ImportWord = this.isPlaceholder
      ? 'placeholder'
      : difference !== ''
        ? 'close'
        : this.needs.length > 0
          ? 'needs'
          : 'equal';
    return {
      node: {
        ...entryOf(this.node),
        word,
        nodes: this.mainId === undefined ? ids : [this.mainId, ...ids.filter((id) => id !== this.mainId)],
        ...(into !== undefined && { into }),
        ...(difference !== '' && { difference }),
        ...(this.isPlaceholder && this.offers.length > 0 && { offers: [...this.offers] }),
      },
      changes: this.changes,
      needs: this.needs.map((need) => ({ ...need, nodes: ids })),
    };
  }
}
