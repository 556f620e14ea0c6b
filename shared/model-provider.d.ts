import { z } from 'zod';
/** What is configured of the providers of models: over `/api/v1/providers`, in WEFT_PROVIDERS, and as it is kept. */
export declare const ModelUse: z.ZodEnum<{
    chat: "chat";
    embedding: "embedding";
}>;
export type ModelUse = z.infer<typeof ModelUse>;
export declare const ModelPrices: z.ZodObject<{
    input: z.ZodNumber;
    output: z.ZodNumber;
}, z.core.$strict>;
export declare const OfferedModel: z.ZodObject<{
    name: z.ZodString;
    use: z.ZodDefault<z.ZodEnum<{
        chat: "chat";
        embedding: "embedding";
    }>>;
    prices: z.ZodOptional<z.ZodObject<{
        input: z.ZodNumber;
        output: z.ZodNumber;
    }, z.core.$strict>>;
}, z.core.$strict>;
export type OfferedModel = z.infer<typeof OfferedModel>;
export declare const ProviderType: z.ZodEnum<{
    anthropic: "anthropic";
    google: "google";
    ollama: "ollama";
    "openai-compatible": "openai-compatible";
}>;
export type ProviderType = z.infer<typeof ProviderType>;
export declare const ProviderBody: z.ZodObject<{
    type: z.ZodEnum<{
        anthropic: "anthropic";
        google: "google";
        ollama: "ollama";
        "openai-compatible": "openai-compatible";
    }>;
    baseUrl: z.ZodOptional<z.ZodURL>;
    key: z.ZodOptional<z.ZodObject<{
        $secret: z.ZodString;
    }, z.core.$strict>>;
    models: z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        use: z.ZodDefault<z.ZodEnum<{
            chat: "chat";
            embedding: "embedding";
        }>>;
        prices: z.ZodOptional<z.ZodObject<{
            input: z.ZodNumber;
            output: z.ZodNumber;
        }, z.core.$strict>>;
    }, z.core.$strict>>;
    timeoutMs: z.ZodDefault<z.ZodInt>;
}, z.core.$strict>;
export type ProviderBody = z.infer<typeof ProviderBody>;
/** A provider as the API tells it; never with a key. */
export declare const ProviderInfo: z.ZodObject<{
    id: z.ZodString;
    type: z.ZodEnum<{
        anthropic: "anthropic";
        demo: "demo";
        google: "google";
        ollama: "ollama";
        "openai-compatible": "openai-compatible";
    }>;
    source: z.ZodEnum<{
        "built-in": "built-in";
        environment: "environment";
        file: "file";
    }>;
    baseUrl: z.ZodOptional<z.ZodString>;
    key: z.ZodOptional<z.ZodObject<{
        $secret: z.ZodString;
    }, z.core.$strip>>;
    models: z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        use: z.ZodDefault<z.ZodEnum<{
            chat: "chat";
            embedding: "embedding";
        }>>;
        prices: z.ZodOptional<z.ZodObject<{
            input: z.ZodNumber;
            output: z.ZodNumber;
        }, z.core.$strict>>;
    }, z.core.$strict>>;
    timeoutMs: z.ZodOptional<z.ZodInt>;
}, z.core.$strip>;
export type ProviderInfo = z.infer<typeof ProviderInfo>;
/** A model that flows and chats can ask for. */
export declare const ModelInfo: z.ZodObject<{
    id: z.ZodString;
    provider: z.ZodString;
    model: z.ZodString;
    use: z.ZodEnum<{
        chat: "chat";
        embedding: "embedding";
    }>;
    prices: z.ZodOptional<z.ZodObject<{
        input: z.ZodNumber;
        output: z.ZodNumber;
    }, z.core.$strict>>;
    default: z.ZodBoolean;
}, z.core.$strip>;
export type ModelInfo = z.infer<typeof ModelInfo>;
