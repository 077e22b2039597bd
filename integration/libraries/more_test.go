package libraries

func more() []specimen { return nil }
