import './markdown.css';
import { Download } from 'lucide-react';
import { type ComponentProps, createContext, memo, type ReactNode, useContext, useMemo, useRef } from 'react';
import Markdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import type { Components } from 'react-markdown';
import { CopyButton } from './CopyButton.tsx';
import { markdownPieces } from './markdown-pieces.ts';
import { Tooltip } from './Tooltip.tsx';

/** The citation that the number `[1]` of a text stands for. */
export interface Citation {
  /** Where it can be read. */
  readonly href: string | undefined;
  readonly text: string;
}

const NONE: ReadonlyMap<number, Citation> = new Map();
const Citations = createContext(NONE);

/** Files of conversations on this server. */
const OWN_FILE = /^\/api\/v1\/chat\/conversations\/[\w.%-]+\/files\/f_[\w-]{32}$/;

const LEADS_SOMEWHERE = /^(?:https?:|mailto:|[/#])/i;

/**
 * Images from elsewhere are not fetched: a note of an imported flow, or an answer, could tell its author who reads it and
 * what. Pictures and other files of a conversation are shown and downloaded.
 */
const components: Components = {
  table: ({ node: _, ...more }) => (
    // It scrolls by itself, so it must be reachable by keys.
    <div tabIndex={0} role="region" aria-label="Table" className="overflow-x-auto">
      <table {...more} />
    </div>
  ),
  img: ({ src, alt = 'picture' }) =>
    typeof src === 'string' && OWN_FILE.test(src) ? (
      <a href={src} download={alt} aria-label={`Download ${alt}`} className="nodrag inline-block">
        <img
          src={src}
          alt={alt}
          loading="lazy"
          className="max-h-80 max-w-full rounded-md border border-line"
        />
      </a>
    ) : (
      <span>[{alt}]</span>
    ),
  a: ({ href, children, ...more }) => {
    const cited = (more as { 'data-cited'?: string })['data-cited'];
    if (cited !== undefined) return <Cited n={Number(cited)}>{children}</Cited>;
    // A quoted page links to its neighbours, which are not here.
    if (!LEADS_SOMEWHERE.test(href ?? '')) return <span>{children}</span>;
    return OWN_FILE.test(href ?? '') ? (
      <a href={href} download className="nodrag inline-flex max-w-full items-center gap-1.5">
        <Download aria-hidden className="size-3.5 shrink-0" />
        {children}
      </a>
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer" className="nodrag">
        {children}
      </a>
    );
  },
};

function Cited({ n, children }: { n: number; children: ReactNode }) {
  const citation = useContext(Citations).get(n);
  return (
    <Tooltip text={citation?.text}>
      <a href={citation?.href} target="_blank" rel="noopener noreferrer" className="nodrag whitespace-nowrap">
        {children}
      </a>
    </Tooltip>
  );
}

interface Part {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, string>;
  children?: Part[];
}

/** Makes links of the numbers of passages, but not within links and code. */
function markCitations(known: ReadonlySet<number>) {
  const walk = (part: Part): void => {
    if (part.tagName === 'a' || part.tagName === 'code') return;
    part.children &&= part.children.flatMap((child) => {
      if (child.type === 'text') return pieces(child.value ?? '', known);
      walk(child);
      return [child];
    });
  };
  return walk;
}

function pieces(text: string, known: ReadonlySet<number>): Part[] {
  return text.split(/(\[\d{1,4}\])/).map((value) => {
    const n = Number(/^\[(\d+)\]$/.exec(value)?.[1] ?? Number.NaN);
    if (!known.has(n)) return { type: 'text', value };
    const children = [{ type: 'text', value }];
    return { type: 'element', tagName: 'a', properties: { 'data-cited': String(n) }, children };
  });
}

/** Code with a button that copies it. */
function CodeBlock({ node: _, ...more }: ComponentProps<'pre'> & { node?: unknown }) {
  const box = useRef<HTMLPreElement>(null);
  return (
    <div className="group/code relative">
      <pre ref={box} {...more} />
      <span className="absolute top-1 right-1 rounded bg-surface opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100 pointer-coarse:opacity-100">
        <CopyButton label="Copy the code" text={() => (box.current?.textContent ?? '').replace(/\n$/, '')} />
      </span>
    </div>
  );
}

const withCopy: Components = { ...components, pre: CodeBlock };

interface MarkdownTextProps {
  text: string;
  citations?: ReadonlyMap<number, Citation>;
  /** Whether blocks of code can be copied by a button. */
  canCopy?: boolean;
}

/** Rendered Markdown. A separate chunk, since it is only needed for notes and answers. */
export default function MarkdownText({ text, citations, canCopy = false }: MarkdownTextProps) {
  // The same one each time, so that pieces of a growing text are not drawn again.
  const cited = citations === undefined || citations.size === 0 ? NONE : citations;
  const pieces = useMemo(() => markdownPieces(text), [text]);
  return (
    <div className="weft-markdown wrap-anywhere">
      <Citations value={cited}>
        {pieces.map((piece, i) => (
          <Piece key={i} {...piece} cited={cited} canCopy={canCopy} isAlone={pieces.length === 1} />
        ))}
      </Citations>
    </div>
  );
}

interface PieceProps {
  text: string;
  isPlain: boolean;
  cited: ReadonlyMap<number, Citation>;
  canCopy: boolean;
  isAlone: boolean;
}

const Piece = memo(function Piece({ text, isPlain, cited, canCopy, isAlone }: PieceProps) {
  if (isPlain) return <p className="whitespace-pre-wrap">{text}</p>;
  // Behind the cleaning, which would remove the marks.
  const citing = () => markCitations(new Set(cited.keys())) as (tree: object) => void;
  const drawn = (
    <Markdown
      remarkPlugins={[remarkGfm]}
      rehypePlugins={cited.size === 0 ? [rehypeSanitize] : [rehypeSanitize, citing]}
      components={canCopy ? withCopy : components}
    >
      {text}
    </Markdown>
  );
  return isAlone ? drawn : <div className="weft-markdown-piece">{drawn}</div>;
});
