#!/usr/bin/env python3
"""Writes the crosscheck bundles of tests/golden: small models whose every answer PyTorch worked out.

    python3 scripts/make_crosscheck.py                 # all of them, into tests/golden
    python3 scripts/make_crosscheck.py --list
    python3 scripts/make_crosscheck.py --out /tmp qk_relative

Needs PyTorch (Debian: python3-torch) and NumPy. It shares nothing with the C code: the model below is
written against tests/golden/README.md, computes in float64 with autograd and torch.optim.Adam, and its
answers are rounded to float32 only when they are stored. Seeds are fixed: the same PyTorch on the same
machine writes the same bytes.
"""

import argparse
import json
import math
import os
import sys
import zlib

import numpy as np
import torch
import torch.nn.functional as F

ROLES_OF_SHARING = {
    "qkv": ["q", "k", "v"],
    "qk": ["qk", "v"],
    "kv": ["q", "kv"],
    "qv": ["qv", "k"],
    "qkv_tied": ["qkv"],
}

DEFAULTS = dict(
    n_embd=16, n_layer=1, n_head=4, n_kv_head=4, n_token=6, n_position=6, batch=2, n_symbol=10, n_class=10,
    mlp_ratio=2, sharing="qkv", query="linear", qk_norm=0, score_term="none", pos_dim=10, causal=0,
    adam_lr=1e-3, adam_beta1=0.9, adam_beta2=0.999, adam_eps=1e-4)

# name: what differs from DEFAULTS. Every value of every axis is here, and the pairs that share code. With patches
# n_token follows from the image, and n_position from n_token.
BUNDLES = {
    "qkv": dict(n_layer=2, mlp_ratio=4),
    "qk": dict(sharing="qk"),
    "kv": dict(sharing="kv"),
    "qv": dict(sharing="qv"),
    "qkv_tied": dict(sharing="qkv_tied", n_layer=2),
    "qkv_position2d": dict(score_term="position2d"),
    "qk_position2d": dict(sharing="qk", score_term="position2d", n_layer=2),
    "kv_position2d": dict(sharing="kv", score_term="position2d"),
    "qv_position2d_odd": dict(sharing="qv", score_term="position2d", pos_dim=7),
    "qkv_tied_position2d": dict(sharing="qkv_tied", score_term="position2d"),
    "qk_temperature": dict(sharing="qk", score_term="temperature"),
    "qk_key_bias": dict(sharing="qk", score_term="key_bias"),
    "qk_relative": dict(sharing="qk", score_term="relative"),
    "qk_temperature_scalar": dict(sharing="qk", score_term="temperature_scalar"),
    "qkv_tied_relative_odd": dict(sharing="qkv_tied", score_term="relative", pos_dim=9),
    "kv_key_bias_causal": dict(sharing="kv", score_term="key_bias", causal=1),
    "qkv_causal": dict(causal=1, n_layer=2),
    "qkv_tied_position2d_causal": dict(sharing="qkv_tied", score_term="position2d", causal=1),
    "qkv_gqa2": dict(n_kv_head=2),
    "qkv_mqa": dict(n_kv_head=1),
    "kv_gqa2": dict(sharing="kv", n_kv_head=2),
    "kv_mqa_temperature": dict(sharing="kv", n_kv_head=1, score_term="temperature"),
    "qkv_qk_norm": dict(qk_norm=1),
    "qk_qk_norm": dict(sharing="qk", qk_norm=1),
    "qkv_tied_qk_norm_relative": dict(sharing="qkv_tied", qk_norm=1, score_term="relative"),
    "kv_qk_norm_gqa2": dict(sharing="kv", qk_norm=1, n_kv_head=2),
    "qkv_identity": dict(query="identity"),
    "kv_identity_gqa2_causal": dict(sharing="kv", query="identity", n_kv_head=2, causal=1),
    "qkv_residual_mlp": dict(query="residual_mlp"),
    "kv_residual_mlp_qk_norm_position2d": dict(sharing="kv", query="residual_mlp", qk_norm=1,
                                               score_term="position2d"),
    "qkv_short_of_positions": dict(n_position=9, n_token=5, batch=3, n_class=7, n_symbol=4),
    "one_token": dict(sharing="qk", n_token=1, n_position=4, batch=3),
    "patches_qkv": dict(channels=3, image=6, patch=3, n_class=7, n_layer=2),
    "patches_qk_position2d": dict(channels=1, image=6, patch=2, sharing="qk", score_term="position2d", batch=3),
    "patches_kv_gqa2_padded": dict(channels=2, image=7, patch=3, sharing="kv", n_kv_head=2, batch=5),
    "patches_qkv_tied_relative_padded": dict(channels=1, image=5, patch=4, sharing="qkv_tied", score_term="relative",
                                             n_position=8, pos_dim=9),
    "patches_kv_residual_mlp_of_one_pixel": dict(channels=2, image=2, patch=1, sharing="kv", query="residual_mlp",
                                                 qk_norm=1),
    "patches_qv_one_patch": dict(channels=2, image=3, patch=3, sharing="qv", score_term="key_bias", n_class=2,
                                 batch=4),
}


# ---- safetensors ------------------------------------------------------------------------------------


def save_safetensors(path, tensors, metadata):
    """8 bytes of header length, a JSON header padded to a multiple of 8, the arrays one after another."""
    names = {np.dtype("float32"): "F32", np.dtype("int64"): "I64"}
    header, blobs, offset = {"__metadata__": metadata}, [], 0
    for name, array in tensors.items():
        blob = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
        header[name] = {"dtype": names[array.dtype], "shape": list(array.shape),
                        "data_offsets": [offset, offset + len(blob)]}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(blobs))


# ---- weights ----------------------------------------------------------------------------------------


def shapes_of(c):
    """Name and shape of every parameter."""
    d, width = c["n_embd"], c["n_embd"] // c["n_head"]
    kv = c["n_kv_head"] * width
    if has_patches(c):
        shapes = {"patch_embed.weight": (d, c["channels"], c["patch"], c["patch"]), "patch_embed.bias": (d,),
                  "cls": (d,)}
    else:
        shapes = {"embed.weight": (d, c["n_symbol"]), "embed.bias": (d,)}
    shapes["pos_emb"] = (c["n_position"], d)

    def linear(name, n_out, n_in):
        shapes[name + ".weight"] = (n_out, n_in)
        shapes[name + ".bias"] = (n_out,)

    def norm(name):
        shapes[name + ".weight"] = (d,)
        shapes[name + ".bias"] = (d,)

    for layer in range(c["n_layer"]):
        block = f"blocks.{layer}."
        attention = block + "attn."
        norm(block + "ln1")
        for roles in ROLES_OF_SHARING[c["sharing"]]:
            if roles == "q" and c["query"] != "linear":
                continue
            linear(attention + roles, d if "q" in roles else kv, d)
        if c["query"] == "residual_mlp":
            shapes[attention + "query.norm_in.weight"] = (d,)
            shapes[attention + "query.fc1.weight"] = (d // 2, d)
            shapes[attention + "query.fc2.weight"] = (d, d // 2)
            norm(attention + "query.norm_out")
        if c["qk_norm"]:
            shapes[attention + "q_norm.weight"] = (width,)
            shapes[attention + "k_norm.weight"] = (width,)
        if c["score_term"] == "temperature_scalar":
            shapes[attention + "score_scale"] = (1,)
        elif c["score_term"] != "none":
            shapes[attention + "pos_w"] = (c["pos_dim"],)
        if c["score_term"] == "position2d":
            shapes[attention + "pos_b"] = (1,)
        linear(attention + "out", d, d)
        norm(block + "ln2")
        linear(block + "mlp.fc1", c["mlp_ratio"] * d, d)
        linear(block + "mlp.fc2", d, c["mlp_ratio"] * d)
    norm("ln_f")
    linear("head", c["n_class"], d)
    return shapes


def draw_weights(c, generator):
    """Generic values everywhere, float32 to begin with: what is stored is exactly what is computed with."""
    weights = {}
    for name, shape in shapes_of(c).items():
        noise = torch.randn(shape, generator=generator, dtype=torch.float64)
        if "norm" in name or "ln" in name:
            value = 0.3 * noise + (1.0 if name.endswith("weight") else 0.0)
        elif name.endswith("score_scale"):
            value = 1.4 + 0.1 * noise
        elif name.endswith("pos_w"):
            value = 0.4 * noise + 0.1
        elif len(shape) > 1 and name != "pos_emb":
            value = 1.2 * noise / math.sqrt(math.prod(shape[1:]))
        else:
            value = 0.5 * noise
        weights[name] = value.float().double().requires_grad_()
    return weights


# ---- the model --------------------------------------------------------------------------------------


def layer_norm(x, w, name):
    return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], eps=1e-5)


def rms_norm(x, gain):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * gain


def sincos(position, n_channel):
    """[..., n_channel]: channel 2k is sin, 2k+1 is cos of position * 10000^(-2k/n_channel)."""
    channel = torch.arange(n_channel)
    frequency = 10000.0 ** (-(channel - channel % 2).double() / n_channel)
    angle = position.double().unsqueeze(-1) * frequency
    return torch.where(channel % 2 == 0, torch.sin(angle), torch.cos(angle))


def apply_score_term(c, scores, w, attention):
    """scores [B,H,T,T], already scaled, to what enters the softmax."""
    term, n_token, m = c["score_term"], c["n_token"], c["pos_dim"]
    if term == "none":
        return scores
    if term == "temperature_scalar":
        return scores * w[attention + "score_scale"]
    pos_w, position = w[attention + "pos_w"], torch.arange(n_token)
    rows = sincos(position, m // 2)[:, None, :].expand(n_token, n_token, m // 2)
    columns = sincos(position, m - m // 2)[None, :, :].expand(n_token, n_token, m - m // 2)
    if term == "temperature":
        return scores * pos_w.sum()
    if term == "key_bias":
        return scores + columns @ pos_w[m // 2:]
    if term == "relative":
        return scores * pos_w.sum() + sincos(position[:, None] - position[None, :], m) @ pos_w
    assert term == "position2d"
    encoding = torch.cat([rows, columns], dim=-1)
    return scores * pos_w.sum() + encoding @ pos_w + w[attention + "pos_b"]


def make_query(c, x, w, attention, project):
    if c["query"] == "identity":
        return x
    if c["query"] == "residual_mlp":
        hidden = F.gelu(rms_norm(x, w[attention + "query.norm_in.weight"])
                        @ w[attention + "query.fc1.weight"].t())
        return (x + layer_norm(hidden @ w[attention + "query.fc2.weight"].t(), w,
                               attention + "query.norm_out")) / 2
    return project("q")


def attend(c, x, w, block):
    """Returns the attention's output [B,T,d] and its weights [B,H,T,T]."""
    attention, width = block + "attn.", c["n_embd"] // c["n_head"]

    def project(role):
        slot = next(roles for roles in ROLES_OF_SHARING[c["sharing"]] if role in roles)
        return F.linear(x, w[attention + slot + ".weight"], w[attention + slot + ".bias"])

    def heads(flat):
        return flat.reshape(x.shape[0], x.shape[1], -1, width).transpose(1, 2)

    q, k, v = heads(make_query(c, x, w, attention, project)), heads(project("k")), heads(project("v"))
    if c["qk_norm"]:
        q, k = rms_norm(q, w[attention + "q_norm.weight"]), rms_norm(k, w[attention + "k_norm.weight"])
    repeat = c["n_head"] // c["n_kv_head"]
    k, v = k.repeat_interleave(repeat, dim=1), v.repeat_interleave(repeat, dim=1)
    scores = q @ k.transpose(-2, -1) * (score_scale(c) / math.sqrt(width))
    scores = apply_score_term(c, scores, w, attention)
    if c["causal"]:
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -math.inf)
    weights = scores.softmax(-1)
    merged = (weights @ v).transpose(1, 2).reshape(x.shape)
    return F.linear(merged, w[attention + "out.weight"], w[attention + "out.bias"]), weights


def embed(c, w, inputs):
    """Symbols [B,T] or images [B,C,H,H] to tokens [B,T,d], still without positions."""
    if not has_patches(c):
        return F.linear(F.one_hot(inputs, c["n_symbol"]).double(), w["embed.weight"], w["embed.bias"])
    missing = -c["image"] % c["patch"]
    padded = F.pad(inputs, (0, missing, 0, missing))
    patches = F.conv2d(padded, w["patch_embed.weight"], w["patch_embed.bias"], stride=c["patch"])
    patches = patches.flatten(2).transpose(1, 2)
    return torch.cat([w["cls"].expand(len(inputs), 1, -1), patches], dim=1)


def forward(c, w, inputs):
    """Returns the logits ([B,T,n_class], or [B,n_class] at the class token) and the attention of every layer."""
    x = embed(c, w, inputs) + w["pos_emb"][:c["n_token"]]
    maps = []
    for layer in range(c["n_layer"]):
        block = f"blocks.{layer}."
        output, weights = attend(c, layer_norm(x, w, block + "ln1"), w, block)
        maps.append(weights)
        x = x + output
        hidden = F.gelu(F.linear(layer_norm(x, w, block + "ln2"), w[block + "mlp.fc1.weight"],
                                 w[block + "mlp.fc1.bias"]))
        x = x + F.linear(hidden, w[block + "mlp.fc2.weight"], w[block + "mlp.fc2.bias"])
    if has_patches(c):
        x = x[:, 0]
    return F.linear(layer_norm(x, w, "ln_f"), w["head.weight"], w["head.bias"]), maps


def has_patches(c):
    return "patch" in c


def score_scale(c):
    return 0.5 if c["query"] == "identity" else 1.0


# ---- bundles ----------------------------------------------------------------------------------------


def metadata_of(name, c):
    metadata = {"format": "crosscheck-1", "name": name, "input": "patches" if has_patches(c) else "tokens",
                "score_scale": str(score_scale(c)),
                "position2d": "absolute" if c["score_term"] == "position2d" else "none"}
    for key, value in c.items():
        if key != "score_term":
            metadata[key] = str(value)
        elif value not in ("none", "position2d"):
            metadata[key] = value
    return metadata


def configuration(changes):
    c = {**DEFAULTS, **changes}
    if has_patches(c):
        c["n_token"] = 1 + math.ceil(c["image"] / c["patch"])**2
        c["n_position"] = changes.get("n_position", c["n_token"])
    return c


def draw_batch(c, generator):
    """The two input arrays, by name."""
    if has_patches(c):
        pixels = torch.randn((c["batch"], c["channels"], c["image"], c["image"]), generator=generator)
        return {"images": pixels, "labels": torch.randint(c["n_class"], (c["batch"],), generator=generator)}
    ids = torch.randint(c["n_symbol"], (c["batch"], c["n_token"]), generator=generator)
    return {"ids": ids, "targets": torch.randint(c["n_class"], (c["batch"], c["n_token"]), generator=generator)}


def make_bundle(name, changes, path):
    c = configuration(changes)
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    w = draw_weights(c, generator)
    batch = draw_batch(c, generator)
    inputs, targets = batch.values()
    if has_patches(c):
        inputs = inputs.double()
    tensors = {"input/" + key: tensor.numpy() for key, tensor in batch.items()}

    def keep(key, tensor):
        tensors[key] = tensor.detach().reshape(tensor.shape or (1,)).numpy().astype(np.float32)

    def loss_of():
        logits, maps = forward(c, w, inputs)
        return F.cross_entropy(logits.reshape(-1, c["n_class"]), targets.reshape(-1)), logits, maps

    for key, tensor in w.items():
        keep("param/" + key, tensor)
    loss, logits, maps = loss_of()
    loss.backward()
    keep("expect/logits", logits)
    keep("expect/loss", loss)
    for layer, weights in enumerate(maps):
        keep(f"expect/attention.{layer}", weights)
    for key, tensor in w.items():
        if tensor.grad is None:
            tensor.grad = torch.zeros_like(tensor)
        keep("grad/" + key, tensor.grad)
    keep("expect/grad_norm", torch.sqrt(sum((tensor.grad**2).sum() for tensor in w.values())))

    adam = torch.optim.Adam(w.values(), lr=c["adam_lr"], betas=(c["adam_beta1"], c["adam_beta2"]),
                            eps=c["adam_eps"])
    for step in (1, 2, 3):
        adam.zero_grad()
        loss_of()[0].backward()
        adam.step()
        keep(f"expect/loss_after_{step}", loss_of()[0])
    for key, tensor in w.items():
        keep("adam3/" + key, tensor)
    save_safetensors(path, tensors, metadata_of(name, c))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="Write crosscheck bundles computed by PyTorch in float64.")
    parser.add_argument("names", nargs="*", help="bundles to write (default: all)")
    parser.add_argument("--out", default=os.path.join(here, "..", "tests", "golden"), help="folder")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(BUNDLES))
        return
    unknown = [name for name in arguments.names if name not in BUNDLES]
    if unknown:
        sys.exit(f"unknown bundle {unknown[0]}; --list prints the names")
    torch.set_num_threads(1)
    for name in arguments.names or BUNDLES:
        make_bundle(name, BUNDLES[name], os.path.join(arguments.out, name + ".safetensors"))


if __name__ == "__main__":
    main()
