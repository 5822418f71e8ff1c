// Uses each member of answers whose names are data, with the types that generators make of the descriptions: check_types.py.
import type { components } from "./public.js";
import type { components as management } from "./management.js";

type Schemas = components["schemas"];

export function missingPermission({ error }: Schemas["RemoteServiceErrorResponse"]): string | undefined {
  return error.data.PolicyName;
}

export function configured(configuration: Schemas["ApplicationConfigurationDto"]): (string | boolean | null | undefined)[] {
  const { clock, currentTenant, currentUser, features, globalFeatures, localization, multiTenancy, setting, timing } = configuration;
  return [
    setting.values["Abp.Timing.TimeZone"], features.values["Feature"], globalFeatures.enabledFeatures[0], multiTenancy.isEnabled,
    currentTenant.id, currentTenant.name, currentTenant.isAvailable,
    currentUser.tenantId, currentUser.name, currentUser.surName, currentUser.email, currentUser.emailVerified, currentUser.phoneNumber,
    timing.timeZone.iana.timeZoneName, timing.timeZone.windows.timeZoneId, clock.kind,
    localization.values["AbpUi"]?.["Yes"], localization.languagesMap["package"]?.[0]?.value, localization.languageFilesMap["package"]?.[0]?.name,
  ];
}

export function extended({ objectExtensions, extraProperties }: Schemas["ApplicationConfigurationDto"]): unknown[] {
  return [objectExtensions.modules["Identity"], objectExtensions.enums["Enum"], extraProperties["x"]];
}

export function described({ modules, types }: Schemas["ApplicationApiDescriptionModel"]): unknown[] {
  return [modules["app"]?.rootPath, modules["app"]?.controllers["Controller"]?.["actions"], types["Type"]?.["properties"]];
}

export function refused({ error }: management["schemas"]["RemoteServiceErrorResponse"]): unknown[] {
  const { PolicyName, import: running, usable, kids, remarks } = error.data;
  return [PolicyName, running?.time, running?.["finished"], usable, kids?.[0], remarks?.[0]];
}

export function key({ keys }: management["schemas"]["KeySet"]): unknown {
  return keys[0]?.["kty"];
}
