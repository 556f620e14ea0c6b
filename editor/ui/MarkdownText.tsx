import './markdown.css';
import { Download } from 'lucide-react';
import { createContext, type ReactNode, useContext } from 'react';
import Markdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import type { Components } from 'react-markdown';
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

interface MarkdownTextProps {
  text: string;
  citations?: ReadonlyMap<number, Citation>;
}

/** Rendered Markdown. A separate chunk, since it is only needed for notes and answers. */
export default function MarkdownText({ text, citations = NONE }: MarkdownTextProps) {
  // Behind the cleaning, which would remove the marks.
  const citing = () => markCitations(new Set(citations.keys())) as (tree: object) => void;
  return (
    <div className="weft-markdown wrap-anywhere">
      <Citations value={citations}>
        <Markdown
          remarkPlugins={[remarkGfm]}
          rehypePlugins={citations.size === 0 ? [rehypeSanitize] : [rehypeSanitize, citing]}
          components={components}
        >
          {text}
        </Markdown>
      </Citations>
    </div>
  );
}
