#!/usr/bin/env python3
"""Prints what test_first_batch.c knows of the first training batch of each published data set.

It shares no code with the program: random numbers, files, order, crop, flip and patches are written
here once more, from their descriptions. Needs numpy and Pillow. Argument: the folder with a folder
for each data set, as --data takes it. CIFAR-100 and TinyImageNet are cut to their first 1,000 and
3,000 training images, so that a part of the files is enough.
"""

import glob
import gzip
import hashlib
import os
import sys

import numpy as np

MASK = (1 << 64) - 1
SEED = 0


def mix(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def key_of(purpose):
    value = 0xCBF29CE484222325
    for byte in purpose.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    key = mix(value ^ mix((SEED + 0x9E3779B97F4A7C15) & MASK))
    return key & 0xFFFFFFFF, key >> 32


def philox(key, index):
    k0, k1 = key
    x = [index & 0xFFFFFFFF, index >> 32, 0, 0]
    for _ in range(10):
        a, b = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [b >> 32 ^ x[1] ^ k0, b & 0xFFFFFFFF, a >> 32 ^ x[3] ^ k1, a & 0xFFFFFFFF]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return x


def shuffled(n):
    """Fisher-Yates from the end, with the stream of epoch 0."""
    key, order = key_of("shuffle/0"), list(range(n))
    for i in range(n, 1, -1):
        word = philox(key, i - 1)
        j = ((word[1] << 32 | word[0]) * i) >> 64
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


def moved(image, index, crop, flip):
    """image [C,H,W]: a crop of the image in four black pixels, then a mirror image or not."""
    word = philox(key_of("augment/0"), index)
    _, height, width = image.shape
    if crop:
        dy, dx = (word[0] * 9 >> 32) - 4, (word[1] * 9 >> 32) - 4
        framed = np.pad(image, ((0, 0), (4, 4), (4, 4)))
        image = framed[:, 4 + dy : 4 + dy + height, 4 + dx : 4 + dx + width]
    return image[:, :, ::-1] if flip and word[2] >> 31 else image


def patches(images, p):
    n, c, h, w = images.shape
    cut = images.reshape(n, c, h // p, p, w // p, p)
    return np.ascontiguousarray(cut.transpose(0, 2, 4, 1, 3, 5))


def read(path):
    for name, opener in ((path, open), (path + ".gz", gzip.open)):
        if os.path.exists(name):
            with opener(name, "rb") as file:
                return np.frombuffer(file.read(), np.uint8)
    raise FileNotFoundError(path)


def idx(folder):
    images, labels = read(folder + "/train-images-idx3-ubyte"), read(folder + "/train-labels-idx1-ubyte")
    return images[16:].reshape(-1, 1, 28, 28), labels[8:]


def cifar(paths, n_label, n):
    rows = np.concatenate([read(path).reshape(-1, n_label + 3072) for path in paths])[:n]
    return rows[:, n_label:].reshape(-1, 3, 32, 32), rows[:, n_label - 1]


def folder_paths(folder, n):
    paths, labels = [], []
    for label, name in enumerate(open(folder + "/wnids.txt").read().split()):
        files = sorted(glob.glob(f"{folder}/train/{name}/images/*.JPEG"))
        paths += files
        labels += [label] * len(files)
    return paths[:n], labels[:n]


def table_of(name, images, labels, crop_flip, mean, std, size=128, p=4):
    order = shuffled(len(labels))[:size]
    batch = np.stack([moved(images[i], i, crop_flip, crop_flip) for i in order])
    label = bytes(int(labels[i]) for i in order)
    before = patches(batch, p)
    shape = (1, -1, 1, 1)
    scaled = batch.astype(np.float32) / np.float32(255)
    scaled = (scaled - np.float32(mean).reshape(shape)) / np.float32(std).reshape(shape)
    after = patches(scaled, p).astype("<f4")
    print(name)
    print("  bytes ", hashlib.sha256(label + before.tobytes()).hexdigest())
    print("  floats", hashlib.sha256(after.tobytes()).hexdigest())


def table_of_photographs(folder, n, size=32):
    from PIL import Image

    paths, labels = folder_paths(folder, n)
    order = shuffled(len(paths))[:size]
    print("tinyimagenet")
    print("  labels", hashlib.sha256(bytes(labels[i] for i in order)).hexdigest())
    for i in order:
        image = np.asarray(Image.open(paths[i]).convert("RGB")).transpose(2, 0, 1)
        image = moved(image, i, False, True)
        print("    {%d, %d, %.2f}," % (image[0, 0, 0], image[2, -1, -1], image.mean()))


def main(root):
    table_of("mnist", *idx(root + "/mnist"), False, [0.1307], [0.3081])
    fashion = "/usr/share/datasets/fashion-mnist"
    if os.path.isdir(fashion):
        table_of("fashion_mnist", *idx(fashion), False, [0.2860], [0.3530])
    ten = [f"{root}/cifar10/cifar-10-batches-bin/data_batch_{i}.bin" for i in range(1, 6)]
    table_of("cifar10", *cifar(ten, 1, 50000), True, [0.4914, 0.4822, 0.4465], [0.2470, 0.2435, 0.2616])
    hundred = [root + "/cifar100/cifar-100-binary/train.bin"]
    table_of("cifar100", *cifar(hundred, 2, 1000), True, [0.5071, 0.4865, 0.4409], [0.2673, 0.2564, 0.2762])
    table_of_photographs(root + "/tinyimagenet/tiny-imagenet-200", 3000)


main(sys.argv[1])
