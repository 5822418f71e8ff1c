#!/usr/bin/env python3
"""oci_layout.py FOLDER WASM_TOOLS COMPONENT...: an OCI image layout of components, each a Wasm OCI Artifact as wkg and the hosts of
components take it: a config of application/vnd.wasm.config.v0+json, and one layer of application/wasm. A component's name is its
file's, its version that of its metadata. SOURCE_DATE_EPOCH is the time of all of them. Standard library only.
"""

import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys

MANIFEST = "application/vnd.oci.image.manifest.v1+json"


class Layout:
    def __init__(self, folder):
        self.folder = folder
        (folder / "blobs" / "sha256").mkdir(parents=True)

    def put(self, media_type, content):
        """Writes a blob, and returns its descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        (self.folder / "blobs" / "sha256" / digest).write_bytes(content)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    def finish(self, manifests):
        (self.folder / "oci-layout").write_bytes(encoded({"imageLayoutVersion": "1.0.0"}))
        (self.folder / "index.json").write_bytes(encoded({
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": manifests}))


def encoded(value):
    return json.dumps(value, separators=(",", ":")).encode()


def output_of(wasm_tools, *arguments):
    return json.loads(subprocess.run([wasm_tools, *arguments], check=True, capture_output=True, text=True).stdout)


def interfaces(wasm_tools, component):
    """Returns the imports and the exports, as `package:name/interface@version`."""
    wit = output_of(wasm_tools, "component", "wit", "--json", component)
    [world] = [world for world in wit["worlds"] if world["name"] == "root"]

    def named(items):
        for item in items.values():
            interface = wit["interfaces"][item["interface"]["id"]]
            package, _, version = wit["packages"][interface["package"]]["name"].partition("@")
            yield f"{package}/{interface['name']}@{version}"

    return sorted(named(world["imports"])), sorted(named(world["exports"]))


def put_component(layout, wasm_tools, path, created):
    """Adds a component, and returns the descriptor of its manifest."""
    metadata = output_of(wasm_tools, "metadata", "show", "--json", path)["component"]["metadata"]
    imports, exports = interfaces(wasm_tools, path)
    layer = layout.put("application/wasm", path.read_bytes())
    config = layout.put("application/vnd.wasm.config.v0+json", encoded({
        "created": created, "architecture": "wasm", "os": "wasip2", "layerDigests": [layer["digest"]],
        "component": {"exports": exports, "imports": imports}}))
    about = {"title": path.stem, "description": metadata["description"], "version": metadata["version"], "licenses": metadata["licenses"],
             "source": metadata["source"], "created": created}
    manifest = layout.put(MANIFEST, encoded({
        "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer],
        "annotations": {f"org.opencontainers.image.{name}": value for name, value in about.items()}}))
    return manifest | {"annotations": {"org.opencontainers.image.ref.name": f"{path.stem}:{metadata['version']}"}}


def main():
    folder, wasm_tools, *components = map(pathlib.Path, sys.argv[1:])
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    layout = Layout(folder)
    layout.finish([put_component(layout, wasm_tools, path, created) for path in sorted(components)])


if __name__ == "__main__":
    main()
