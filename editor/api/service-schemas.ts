import './zod-config.ts';
import { z } from 'zod';
import { DeletedFlow, NodeOutputs, Schedule } from '#shared/api.ts';
import { App, AppPage as AnyAppPage } from '#shared/app.ts';
import { AuditEntry, AuditPage as AnyAuditPage } from '#shared/audit.ts';
import { DeadLetter, DeadLetterPage as AnyDeadLetterPage } from '#shared/calls-api.ts';
import {
  Conversation,
  ConversationInfo,
  ConversationPage as AnyConversationPage,
} from '#shared/conversation.ts';
import {
  ConnectionInfo,
  ConnectionKind,
  ConnectionName,
  ConnectionNames,
  ConnectionTable,
  ConnectionTables as AnyConnectionTables,
  ConnectionTest,
  FileStoreName,
  FolderPath,
} from '#shared/connection.ts';
import {
  SignInProgress,
  SignInProvider,
  SignInProviders as AnySignInProviders,
  StartedSignIn,
} from '#shared/sign-in.ts';
import {
  EvaluationCase,
  EvaluationInfo,
  EvaluationResult as AnyEvaluationResult,
  CaseResult,
  EvaluationSet,
  EvaluationSummary,
} from '#shared/evaluation.ts';
import { CreatedKey, KeyInfo } from '#shared/key.ts';
import { Hook, HookPage as AnyHookPage, ListedHook } from '#shared/hook-api.ts';
import {
  KnowledgeChunk,
  KnowledgeDocument,
  KnowledgeHit,
  KnowledgeResult as AnyKnowledgeResult,
  KnowledgeSpace,
} from '#shared/knowledge.ts';
import {
  DiscoveredModels,
  ModelInfo,
  ModelSettingsInfo,
  ProviderInfo,
  ProviderTrial,
} from '#shared/model-provider.ts';
import { NodeInfo, ServerSetting } from '#shared/node.ts';
import { Package, Source } from '#shared/package-api.ts';
import { PublicPage } from '#shared/public-page.ts';
import { KeptMail, ShopState } from '#shared/shop.ts';
import { Template, TemplateFlow } from '#shared/template.ts';
import { WaitInfo, WaitPage as AnyWaitPage } from '#shared/wait.ts';
import { recordsOf } from './records.ts';

/** Answers for screens other than the editor; in a separate file, so that the editor's start does not wait for them. */
export const Templates = recordsOf(Template);
export const KeptMails = recordsOf(KeptMail);
export { ShopState, TemplateFlow };
export const Keys = recordsOf(KeyInfo);
export const Nodes = recordsOf(NodeInfo);
export const ServerSettings = recordsOf(ServerSetting);
export const DeletedFlows = recordsOf(DeletedFlow);
export const Models = recordsOf(ModelInfo);
export const Providers = recordsOf(ProviderInfo);
export const SignInProviders = AnySignInProviders.extend({ providers: recordsOf(SignInProvider) });
export const ConnectionKinds = recordsOf(ConnectionKind);
export const ConnectionTables = AnyConnectionTables.extend({ tables: recordsOf(ConnectionTable) });
export { ConnectionName, ConnectionNames };
export const Folders = z.array(FileStoreName);
export const FolderPaths = z.array(FolderPath);
export { Described } from '#shared/described.ts';
export const Schedules = recordsOf(Schedule);
export const Sources = recordsOf(Source);
export const Hooks = recordsOf(Hook);
export { Retried } from '#shared/calls-api.ts';
export { Usage } from '#shared/usage.ts';
export const Packages = recordsOf(Package);
export const Evaluations = recordsOf(EvaluationInfo);
export const EvaluationSummaries = recordsOf(EvaluationSummary);
export const EvaluationResult = AnyEvaluationResult.extend({ results: recordsOf(CaseResult) });
export const KnowledgeSpaces = recordsOf(KnowledgeSpace);
export const KnowledgeDocuments = z.object({ items: recordsOf(KnowledgeDocument), total: z.int() });
export const KnowledgeChunks = z.object({ items: recordsOf(KnowledgeChunk), total: z.int() });
export const KnowledgeResult = AnyKnowledgeResult.extend({ hits: recordsOf(KnowledgeHit) });

export const AppPage = AnyAppPage.extend({ app_list: recordsOf(App) });
export const ConversationPage = AnyConversationPage.extend({ conversations: recordsOf(ConversationInfo) });
export const DeadLetterPage = AnyDeadLetterPage.extend({ deadLetters: recordsOf(DeadLetter) });
export const HookPage = AnyHookPage.extend({ hooks: recordsOf(ListedHook) });
export const AuditPage = AnyAuditPage.extend({ entries: recordsOf(AuditEntry) });
export const WaitPage = AnyWaitPage.extend({ waits: recordsOf(WaitInfo) });

/** A chat partner; `id`: of a model, `app:<code>`, `flow:<id>`, `knowledge:<space>` or `data:<connection>`. */
const Partner = z.object({
  id: z.string(),
  /** The provider of a model; otherwise `app`, `flow`, `knowledge` or `data`. */
  owned_by: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
});
export type Partner = Readonly<z.infer<typeof Partner>>;
export const Partners = recordsOf(Partner);

/** One event of a streamed answer, as far as the editor reads it. */
export const ChatChunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish(), reasoning_content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  weft: z.object({ waiting: z.object({ wait: z.string(), title: z.string() }).optional() }).optional(),
});

export {
  App,
  PublicPage,
  ConnectionInfo,
  ConnectionTest,
  SignInProgress,
  StartedSignIn,
  Conversation,
  CreatedKey,
  DiscoveredModels,
  EvaluationCase,
  EvaluationInfo,
  EvaluationSet,
  EvaluationSummary,
  KnowledgeDocument,
  KnowledgeSpace,
  ModelSettingsInfo,
  NodeOutputs,
  ProviderInfo,
  ProviderTrial,
  WaitInfo,
};
export { FlowActivity, FlowUse, NameUse } from '#shared/api.ts';
