import './markdown.css';
import Markdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import type { Components } from 'react-markdown';

/** Images are not fetched: a note of an imported flow, or an answer, could tell its author who reads it and what. */
const components: Components = {
  img: ({ alt }) => <span>[{alt ?? 'picture'}]</span>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer" className="nodrag">
      {children}
    </a>
  ),
};

/** Rendered Markdown. A separate chunk, since it is only needed for notes and answers. */
export default function MarkdownText({ text }: { text: string }) {
  return (
    <div className="weft-markdown wrap-anywhere">
      <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={components}>
        {text}
      </Markdown>
    </div>
  );
}
