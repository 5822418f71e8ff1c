// Settings that the compiler refuses, each below its message.
import { createPortail, type PortailOptions, type Store } from "portail";

declare const store: Store;

// Type '"portail"' is not assignable to type '"unknown setting PORTAIL_AUDIANCE; did you mean PORTAIL_AUDIENCE?"'.
await createPortail({ store, settings: { PORTAIL_ISSUER: "https://identity.example", PORTAIL_AUDIANCE: "portail" } });
// Type '"a"' is not assignable to type '"unknown setting PORTAIL_TENNANT; did you mean PORTAIL_TENANT?"'.
await createPortail({ store, settings: { PORTAIL_TENNANT: "a" } });
// Type '"a"' is not assignable to type '"unknown setting PORTAIL_TENAT; did you mean PORTAIL_TENANT?"'.
await createPortail({ store, settings: { PORTAIL_TENAT: "a" } });
// Type '"a"' is not assignable to type '"unknown setting PORTAL_TENANT; did you mean PORTAIL_TENANT?"'.
await createPortail({ store, settings: { PORTAL_TENANT: "a" } });
// Type '"a"' is not assignable to type '"unknown setting portail_tenant; did you mean PORTAIL_TENANT?"'.
await createPortail({ store, settings: { portail_tenant: "a" } });
// Type '"a"' is not assignable to type '"unknown setting TENANT; did you mean PORTAIL_TENANT?"'.
await createPortail({ store, settings: { TENANT: "a" } });
// Type '"oid"' is not assignable to type '"unknown setting subjectClaim; did you mean PORTAIL_SUBJECT_CLAIM?"'.
await createPortail({ store, settings: { subjectClaim: "oid" } });
// Type '"a"' is not assignable to type '"unknown setting PROTAIL_ISSUER; did you mean PORTAIL_ISSUER?"'.
await createPortail({ store, settings: { ...process.env, PROTAIL_ISSUER: "a" } });
// Type '"a"' is not assignable to type '"unknown setting PORTAIL_NOTHING"'.
await createPortail({ store, settings: { PORTAIL_NOTHING: "a" } });
// Type '"fowarded"' is not assignable to type '"direct" | "forwarded" | "loopback" | "forwarded-or-loopback" | undefined'. Did you mean '"forwarded"'?
await createPortail({ store, settings: { PORTAIL_TRANSPORT: "fowarded" } });
// Type 'number' is not assignable to type 'string'.
await createPortail({ store, settings: { PORTAIL_ISSUER: 5 } });
// Type 'number' is not assignable to type 'string'.
await createPortail({ store, settings: { PORTAIL_AUDIENCE: ["a", 1] } });
// Object literal may only specify known properties, but 'PORTAIL_ISUER' does not exist in type 'Settings'. Did you mean to write 'PORTAIL_ISSUER'?
export const named: PortailOptions = { store, settings: { PORTAIL_ISUER: "https://identity.example" } };
// Object literal may only specify known properties, but 'basepath' does not exist in type 'PortailOptions<{ readonly PORTAIL_ISSUER: "a"; }>'. Did you mean to write 'basePath'?
await createPortail({ store, settings: { PORTAIL_ISSUER: "a" }, basepath: "/portail" });
